import { useQuery } from '@apollo/client/react';
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

/** Who else is here. A live query: the graph sends the list whenever it has changed. */
export function OnlineUsers() {
  const { texts } = useTexts();
  const session = useSessionState();
  const { data } = useQuery(WhoIsOnline);
  const own = session.kind === 'signed-in' ? session.subject : undefined;
  const others = data?.onlineUsers.filter(({ id }) => id !== own);
  return (
    <aside className="presence" aria-labelledby="presence">
      <h2 id="presence">{texts.online}</h2>
      {others?.length === 0 && <p>{texts.nobodyOnline}</p>}
      <ul>
        {others?.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </aside>
  );
}
