import { InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';

/** The cache: pages of a connection are joined to one list, and a post that is known is not asked for again. */
export function createCache(): InMemoryCache {
  return new InMemoryCache({
    possibleTypes: {
      Node: ['Post', 'User', 'TextComment'],
      Comment: ['TextComment'],
      SearchResult: ['Post', 'TextComment', 'User'],
    },
    typePolicies: {
      Query: { fields: { postsConnection: relayStylePagination() } },
      Post: { fields: { commentsConnection: relayStylePagination() } },
      User: { fields: { postsConnection: relayStylePagination() } },
    },
  });
}
