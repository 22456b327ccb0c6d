import { ApolloClient } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import type { Config } from '../config.ts';
import type { Session } from '../session/session.ts';
import { createCache } from './create-cache.ts';
import { createLink } from './create-link.ts';

/** The client of the graph. It forgets what it knows when the session ends. */
export function createGraphClient(config: Config, session: Session): ApolloClient {
  const client = new ApolloClient({
    cache: createCache(),
    link: createLink(config, session),
    incrementalHandler: new Defer20220824Handler(),
  });
  session.subscribe(() => {
    if (session.state.kind !== 'signed-in') void client.clearStore();
  });
  return client;
}
