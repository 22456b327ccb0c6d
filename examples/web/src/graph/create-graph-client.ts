import { ApolloClient } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import type { Config } from '../config.ts';
import type { Network } from '../network/network.ts';
import type { Session } from '../session/session.ts';
import { createCache } from './create-cache.ts';
import { createLink } from './create-link.ts';
import { createSocket } from './create-socket.ts';

/** The client of the graph. It forgets what it knows when the session ends, and asks again when the network is back. */
export function createGraphClient(config: Config, session: Session, network: Network): ApolloClient {
  const socket = createSocket(config, session, network);
  const client = new ApolloClient({
    cache: createCache(),
    link: createLink(config, session, network, socket),
    incrementalHandler: new Defer20220824Handler(),
  });
  session.subscribe(() => {
    if (session.state.kind === 'signed-in') return;
    socket.terminate();
    void client.clearStore();
  });
  return client;
}
