import { HttpLink, type ApolloLink } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import type { Config } from '../config.ts';
import type { Session } from '../session/session.ts';

/** How operations get to the graph: over HTTP, each with a token that is good for another minute. */
export function createLink(config: Config, session: Session): ApolloLink {
  return authorize(session).concat(new HttpLink({ uri: config.graph }));
}

function authorize(session: Session): ApolloLink {
  return new SetContextLink(async () => {
    const token = await session.accessToken();
    return token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  });
}
