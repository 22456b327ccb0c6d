import { request, type ClientRequest } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const LEVELS = 8;
const HEAVY = 30;

const LINK = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
`;
let subgraphs: readonly SubgraphServer[];
let gateway: TestGateway;
const sent: ClientRequest[] = [];

beforeAll(async () => {
  subgraphs = await Promise.all([
    startSubgraph({
      name: 'users',
      typeDefs: gql`
        ${LINK}
        type Query {
          me: User
        }
        type User @key(fields: "id") {
          id: ID!
          name: String
        }
      `,
      resolvers: { Query: { me: () => null } },
    }),
    startSubgraph({
      name: 'posts',
      typeDefs: gql`
        ${LINK}
        type Query {
          posts: [Post]
        }
        type Post @key(fields: "id") {
          id: ID!
          title: String
          author: User
        }
        type User @key(fields: "id") {
          id: ID!
          posts: [Post]
        }
      `,
      resolvers: { Query: { posts: () => [] } },
    }),
    startSubgraph({
      name: 'comments',
      typeDefs: gql`
        ${LINK}
        type Comment @key(fields: "id") {
          id: ID!
          text: String
          author: User
        }
        type Post @key(fields: "id") {
          id: ID!
          comments: [Comment]
        }
        type User @key(fields: "id") {
          id: ID!
        }
      `,
      resolvers: {},
    }),
  ]);
  gateway = await startTestGateway({ subgraphs });
});
afterAll(async () => {
  for (const each of sent) each.destroy();
  await gateway.close();
  await Promise.all(subgraphs.map((subgraph) => subgraph.close()));
});

/** Asks from one of the addresses of this machine. @returns the status */
function ask(query: string, localAddress: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const asked = request(`${gateway.url}/graphql`, { method: 'POST', localAddress, headers });
    asked.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    asked.end(JSON.stringify({ query }));
    sent.push(asked);
  });
}

/** Posts, their authors, their comments, and so on: long to plan, and nothing to fetch. */
function posts(levels: number): string {
  if (levels === 0) return 'id title';
  return `id title author { id name posts { ${posts(levels - 2)} } } comments { text author { name posts { ${posts(levels - 2)} } } }`;
}

it('G3: what one address has the planner plan does not keep the first operation of another waiting', async () => {
  await ask('query Warm { posts { id author { name } } }', '127.3.0.1');
  let planned = 0;
  for (let number = 0; number < HEAVY; number += 1) {
    ask(`query Heavy${number} { posts { ${posts(LEVELS)} } }`, '127.1.0.1').then(
      (status) => (planned += Number(status === 200)),
      () => undefined, // it is given up when the test is over
    );
  }
  await expect.poll(() => planned).toBeGreaterThan(0);
  expect(await ask('query First { me { name } }', '127.2.0.1')).toBe(200);
  expect(planned).toBeLessThan(HEAVY / 2);
});
