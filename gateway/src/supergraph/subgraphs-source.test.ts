import { buildSubgraphSchema } from '@apollo/subgraph';
import { createLogger, createMetrics } from '@trellis/runtime';
import { freePort } from '@trellis/testkit';
import type { DocumentNode, GraphQLFieldResolver } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FEDERATION } from '../../test-fixtures/federation.ts';
import { startSubgraphServer, type SubgraphServer } from '../../test-fixtures/subgraph-server.ts';
import { gateway } from '../app/gateway.ts';
import { replaceInTypeDefs } from '../testing/replace-in-type-defs.ts';
import { locateSupergraph } from './supergraph-source.ts';
import { createSubgraphsSource } from './subgraphs-source.ts';
import { createSupergraphStore, type SupergraphStore } from './supergraph-store.ts';

const PEOPLE = gql`
  ${FEDERATION}
  type Query {
    user: User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String!
  }
`;
const POSTS = gql`
  ${FEDERATION}
  type User @key(fields: "id") {
    id: ID!
    posts: Int!
  }
`;

const running = new Map<string, SubgraphServer>();
let ports: { readonly people: number; readonly posts: number };
let store: SupergraphStore | undefined;
let events: string[];

/** Starts a subgraph at its port, in the place of the one that runs there. */
async function serve(name: 'people' | 'posts', typeDefs: DocumentNode): Promise<void> {
  await running.get(name)?.close();
  const schema = buildSubgraphSchema(typeDefs);
  const user: Readonly<Record<string, unknown>> = { __typename: 'User', id: '1', name: 'Ada', posts: 7 };
  const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (
    source,
    _values,
    _context,
    { fieldName },
  ) => {
    if (fieldName === 'user') return user;
    return fieldName === 'sdl' ? (source as { readonly sdl: string }).sdl : user[fieldName]; // of _service
  };
  running.set(name, await startSubgraphServer({ schema, fieldResolver, port: ports[name] }));
}

function endpoints(): readonly { readonly name: string; readonly url: string }[] {
  return Object.entries(ports).map(([name, port]) => ({ name, url: `http://127.0.0.1:${port}/graphql` }));
}

const observer = {
  serving: () => void events.push('serving'),
  waiting: (_source: string, { message }: Error) => void events.push(`waiting: ${message}`),
  rejected: (_source: string, { message }: Error) => void events.push(`rejected: ${message}`),
};

async function start(patienceMs?: number): Promise<SupergraphStore> {
  store = await createSupergraphStore({ subgraphs: endpoints(), observer, pollMs: 50, patienceMs });
  return store;
}

function userFields(): string[] {
  const type = store?.current().schema.getType('User');
  return type && 'getFields' in type ? Object.keys(type.getFields()).toSorted() : [];
}

beforeEach(async () => {
  events = [];
  ports = { people: await freePort(), posts: await freePort() };
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  for (const server of running.values()) await server.close();
  running.clear();
});

describe('A supergraph of running subgraphs', () => {
  it('is composed of what they say, and follows a schema that changes', async () => {
    await serve('people', PEOPLE);
    await serve('posts', POSTS);
    await start();
    expect(userFields()).toEqual(['id', 'name', 'posts']);
    await serve('posts', replaceInTypeDefs(POSTS, 'posts: Int!', 'posts: Int! drafts: Int'));
    await expect.poll(userFields).toEqual(['drafts', 'id', 'name', 'posts']);
    expect(events.filter((text) => text === 'serving')).toHaveLength(2);
  });

  it('waits at start for one that is down, and says so once', async () => {
    await serve('people', PEOPLE);
    const started = start();
    await expect.poll(() => events.length).toBe(1);
    await serve('posts', POSTS);
    await started;
    expect(events).toEqual([
      expect.stringMatching(/^waiting: Couldn't load service definitions for "posts" at http:/),
      'serving',
    ]);
  });

  it('is given up where one stays down, by its name', async () => {
    await serve('people', PEOPLE);
    await expect(start(300)).rejects.toThrow(
      /The supergraph at the running subgraphs people, posts can't be served\. .*"posts" at http:/,
    );
  });

  it('that does not compose is rejected at start, at once', async () => {
    await serve('people', PEOPLE);
    await serve('posts', replaceInTypeDefs(POSTS, 'posts: Int!', 'posts: Int! name: Int!'));
    await expect(start()).rejects.toThrow(/a valid schema couldn't be composed.*User\.name/is);
    expect(events).toEqual([]);
  });

  it('goes on serving while it does not compose or one is down, and follows what comes after', async () => {
    await serve('people', PEOPLE);
    await serve('posts', POSTS);
    await start();
    await serve('posts', replaceInTypeDefs(POSTS, 'posts: Int!', 'posts: Int! name: Int!'));
    await expect.poll(() => events.at(-1)).toMatch(/^rejected: .*User\.name/s);
    expect(userFields()).toEqual(['id', 'name', 'posts']);
    // A schema that changed while another subgraph was down is not missed.
    await running.get('people')?.close();
    await serve('posts', replaceInTypeDefs(POSTS, 'posts: Int!', 'posts: Int! likes: Int'));
    await expect.poll(() => events.at(-1)).toMatch(/^rejected: .*"people"/);
    expect(userFields()).toEqual(['id', 'name', 'posts']);
    await serve('people', PEOPLE);
    await expect.poll(userFields).toEqual(['id', 'likes', 'name', 'posts']);
  });

  it('is served by a gateway that has no supergraph file', async () => {
    await serve('people', PEOPLE);
    await serve('posts', POSTS);
    const SUPERGRAPH = endpoints()
      .map(({ name, url }) => `${name}=${url}`)
      .join(' ');
    const logger = createLogger({ service: 'gateway', level: 'silent' });
    const served = await gateway.start(gateway.readConfig({ PORT: '0', SUPERGRAPH }), {
      logger,
      metrics: createMetrics('gateway'),
    });
    const response = await fetch(`${served.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ user { name posts } }' }),
    });
    expect(await response.json()).toEqual({ data: { user: { name: 'Ada', posts: 7 } } });
    await served.close();
  });

  it('says what to install where the composer is not', async () => {
    const source = createSubgraphsSource(endpoints(), () =>
      Promise.reject(new Error('ERR_MODULE_NOT_FOUND')),
    );
    await expect(source.read(new AbortController().signal)).rejects.toThrow(
      'npm install @apollo/gateway@2.14.4',
    );
  });
});

describe('SUPERGRAPH', () => {
  it.each([
    ['graph/supergraph.graphql', { file: 'graph/supergraph.graphql' }],
    ['/a=b/supergraph.graphql', { file: '/a=b/supergraph.graphql' }],
    ['https://example.com/graph?name=http://x', { url: 'https://example.com/graph?name=http://x' }],
    ['a=http://x/graphql', { subgraphs: [{ name: 'a', url: 'http://x/graphql' }] }],
    [
      'a=http://x/graphql  b=https://y',
      {
        subgraphs: [
          { name: 'a', url: 'http://x/graphql' },
          { name: 'b', url: 'https://y' },
        ],
      },
    ],
    ['a=http://x b', undefined],
    ['a=http://x b=ftp://y', undefined],
    ['a=http://x a=http://y', undefined],
  ])('%s', (text, location) => {
    expect(locateSupergraph(text)).toEqual(location);
  });
});
