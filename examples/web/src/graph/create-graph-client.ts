import { ApolloClient } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import type { Config } from '../config.ts';
import type { Network } from '../network/network.ts';
import type { Session } from '../session/session.ts';
import { createCache } from './create-cache.ts';
import { createLink } from './create-link.ts';
import { createSocket } from './create-socket.ts';

/** The client of the graph. It forgets what it knows when the session ends, or becomes another user's. */
export function createGraphClient(config: Config, session: Session, network: Network): ApolloClient {
  const socket = createSocket(config, session, network);
  const client = new ApolloClient({
    cache: createCache(),
    link: createLink(config, session, network, socket),
    incrementalHandler: new Defer20220824Handler(),
  });
  let subject = subjectOf(session);
  session.subscribe(() => {
    if (subjectOf(session) === subject) return;
    subject = subjectOf(session);
    socket.terminate();
    const cleared = subject === undefined ? client.clearStore() : client.resetStore();
    cleared.catch(() => undefined); // what could not be loaded shows it
  });
  return client;
}

function subjectOf({ state }: Session): string | undefined {
  return state.kind === 'signed-in' ? state.subject : undefined;
}
