import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { signIn } from '../harness/sign-in.ts';

const { graph, issuer } = sharedPlatform().addresses;

const query = gql`
  query Front($first: Int!) {
    posts(first: $first) {
      id
      title
      author {
        id
        name
      }
      comments(limit: 2) {
        id
        ... on TextComment {
          edited
        }
      }
    }
  }
`;

interface Front {
  readonly posts: readonly { readonly id: string; readonly author: { readonly name: string } }[];
}

describe('Apollo Client', () => {
  let headers: Record<string, string>;
  const clients: ApolloClient[] = [];

  beforeAll(async () => {
    headers = { authorization: `Bearer ${(await signIn(issuer)).access_token}` };
  });

  afterAll(() => {
    for (const client of clients) client.stop();
  });

  it('runs a query, and reads it from its cache afterwards', async () => {
    const client = connect(new HttpLink({ uri: graph, headers }));
    const { data } = await client.query<Front>({ query, variables: { first: 3 } });
    expect(data?.posts).toHaveLength(3);
    const cached = client.readQuery<Front>({ query, variables: { first: 3 } });
    expect(cached).toEqual(data);
  });

  it('A3: runs queries by GET', async () => {
    const client = connect(
      new HttpLink({
        uri: graph,
        headers,
        useGETForQueries: true,
      }),
    );
    const { data } = await client.query<Front>({ query, variables: { first: 2 } });
    expect(data?.posts).toHaveLength(2);
  });

  it('runs queries in batches', async () => {
    const client = connect(new BatchHttpLink({ uri: graph, headers, batchMax: 5, batchInterval: 20 }));
    const results = await Promise.all(
      [1, 2, 3].map((first) => client.query<Front>({ query, variables: { first } })),
    );
    expect(results.map(({ data }) => data?.posts.length)).toEqual([1, 2, 3]);
  });

  it('learns what is wrong by code', async () => {
    const client = connect(new HttpLink({ uri: graph }));
    const { error } = await client.query<Front>({ query, variables: { first: 1 }, errorPolicy: 'all' });
    expect(CombinedGraphQLErrors.is(error) && error.errors[0]?.extensions?.['code']).toBe('UNAUTHENTICATED');
  });

  function connect(link: ApolloLink): ApolloClient {
    const cache = new InMemoryCache({ possibleTypes: { Comment: ['TextComment'] } });
    const client = new ApolloClient({ link, cache });
    clients.push(client);
    return client;
  }
});
