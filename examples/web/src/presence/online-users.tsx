import { useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { graphql } from '../generated/gql.ts';
import { useSessionState } from '../session/session-context.tsx';
import { useTexts } from '../texts/texts-context.tsx';

const WhoIsOnline = graphql(`
  query WhoIsOnline @live(throttle: 3000) {
    onlineUsers {
      id
      name
    }
  }
`);

const RETRY_MS = 5_000;

/** Who else is here. A live query: the graph sends the list whenever it has changed. */
export function OnlineUsers() {
  const { texts } = useTexts();
  const session = useSessionState();
  const { data, error, refetch } = useQuery(WhoIsOnline);
  useEffect(() => {
    if (!error) return undefined;
    const timer = setTimeout(() => void refetch().catch(() => undefined), RETRY_MS);
    return () => clearTimeout(timer);
  }, [error, refetch]);
  const own = session.kind === 'signed-in' ? session.subject : undefined;
  const others = data?.onlineUsers.filter(({ id }) => id !== own);
  return (
    <aside className="presence" aria-labelledby="presence">
      <h2 id="presence">{texts.online}</h2>
      {others?.length === 0 && <p>{texts.aloneOnline}</p>}
      <ul>
        {others?.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </aside>
  );
}
