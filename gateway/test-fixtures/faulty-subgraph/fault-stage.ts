import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics } from '@trellis/runtime';
import { createTemporaryDirectory } from '@trellis/testkit';
import { Pool } from 'undici';
import { gql } from 'graphql-tag';
import { gateway } from '../../src/app/gateway.ts';
import { compose } from '../../src/testing/compose.ts';
import { startSubgraph } from '../../src/testing/subgraph-server.ts';
import { FEDERATION } from '../federation.ts';
import { openLink, type SeverableLink } from '../load/severable-link.ts';
import { startFaultySubgraph, type FaultySubgraph } from './start-faulty-subgraph.ts';

/** A gateway over two subgraphs, one of which has faults, and requests that need that one or not. */
export interface FaultStage {
  readonly subgraph: FaultySubgraph;
  /** Between the gateway and that subgraph. */
  readonly link: SeverableLink;
  /** Does not touch the subgraph. */
  unaffected(): Promise<void>;
  /** Needs it: answered, or null with an error at the field, as fast as may be. @returns whether it was answered */
  affected(): Promise<boolean>;
  mutate(token: string): Promise<void>;
  /** The first part of the response does not need the subgraph, the other one does. @returns milliseconds to the first */
  deferred(): Promise<number>;
  /** Requests to the subgraph that has faults, as far as they have ended; those that were rejected are none. */
  calls(): Promise<number>;
  journal(): readonly string[];
  close(): Promise<void>;
}

const SHOP = gql`
  ${FEDERATION}
  type Query {
    items: [Item!]!
  }
  type Item @key(fields: "id") {
    id: ID!
    name: String!
  }
`;
const STOCK = gql`
  ${FEDERATION}
  type Mutation {
    restock(token: String!): String
  }
  type Item @key(fields: "id") {
    id: ID!
    stock: Int
  }
`;
const ITEMS = [{ id: '1', name: 'one' }];

/** Settings of {@link openFaultStage}. */
export interface FaultStageOptions {
  /** Milliseconds that a subgraph request may take. */
  readonly subgraphMs: number;
  /** Milliseconds between two tries whether a subgraph is back. */
  readonly pauseMs: number;
}

/** Starts all of it: the gateway in this process, the subgraph that has faults in one of its own. */
export async function openFaultStage({ subgraphMs, pauseMs }: FaultStageOptions): Promise<FaultStage> {
  const directory = createTemporaryDirectory();
  const journal = join(directory.path, 'journal');
  writeFileSync(journal, '');
  const subgraph = await startFaultySubgraph(journal);
  const link = await openLink(Number(new URL(subgraph.url).port));
  const url = `http://127.0.0.1:${link.port}/graphql`;
  const resolveReference = ({ id }: { readonly id: string }) => ITEMS.find((item) => item.id === id);
  const shop = await startSubgraph({
    name: 'shop',
    typeDefs: SHOP,
    resolvers: { Query: { items: () => ITEMS }, Item: { __resolveReference: resolveReference } },
  });
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose([shop, { name: 'stock', typeDefs: STOCK, url }]));
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(
    settings,
    `{timeouts: {subgraphMs: ${subgraphMs}}, traffic: {breaker: {sleepMs: ${pauseMs}}}}`,
  );
  const metrics = createMetrics('gateway');
  const running = await gateway.start(
    gateway.readConfig({ PORT: '0', SUPERGRAPH: file, CONFIG: settings, GUARDS: 'off' }),
    { logger: createLogger({ service: 'gateway', level: 'silent' }), metrics },
  );
  // Clients that leave soon: what is still open after a fault is the gateway's.
  const pool = new Pool(running.url, {
    connections: 512,
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
  });
  return {
    subgraph,
    link,
    ...createRequests(pool, () => shop.forget()),
    calls: async () => callsIn(await metrics.metrics()),
    journal: () =>
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    async close() {
      await pool.close();
      await running.close();
      await Promise.all([subgraph.kill(), link.close(), shop.close()]);
      directory.remove();
    },
  };
}

const CALLS =
  /^trellis_gateway_subgraph_requests_total\{(?=[^}]*subgraph="stock")(?![^}]*outcome="rejected")[^}]*\} (\d+)$/gm;

function callsIn(page: string): number {
  return [...page.matchAll(CALLS)].reduce((sum, [, count]) => sum + Number(count), 0);
}

type Requests = Pick<FaultStage, 'unaffected' | 'affected' | 'mutate' | 'deferred'>;

function createRequests(pool: Pool, forget: () => void): Requests {
  const post = async (body: unknown): Promise<unknown> => {
    forget();
    const headers = { 'content-type': 'application/json' };
    const response = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
    return JSON.parse(text);
  };
  return {
    async unaffected() {
      assertEqual(await post({ query: '{ items { name } }' }), { data: { items: [{ name: 'one' }] } });
    },
    async affected() {
      const response = (await post({ query: '{ items { name stock } }' })) as GraphResponse;
      const isAnswered = response.data?.items[0]?.stock === 10;
      assertEqual(response.data, { items: [{ name: 'one', stock: isAnswered ? 10 : null }] });
      assertEqual(
        response.errors?.flatMap(({ path }) => (path ? [path] : [])) ?? [],
        isAnswered ? [] : [['items', 0, 'stock']],
      );
      return isAnswered;
    },
    async mutate(token) {
      const query = 'mutation ($token: String!) { restock(token: $token) }';
      const response = (await post({ query, variables: { token } })) as GraphResponse;
      const paths = response.errors?.flatMap(({ path }) => (path ? [path] : [])) ?? [];
      assertEqual(response.data, { restock: paths.length === 0 ? token : null });
      if (paths.length > 0) assertEqual(paths, [['restock']]);
    },
    async deferred() {
      forget();
      const start = performance.now();
      const headers = { 'content-type': 'application/json', accept: 'multipart/mixed;deferSpec=20220824' };
      const body = JSON.stringify({ query: '{ items { name ... @defer { stock } } }' });
      const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
      let firstMs = 0;
      let text = '';
      for await (const chunk of response.body) {
        text += String(chunk);
        firstMs ||= performance.now() - start;
      }
      if (!text.includes('"stock":10') || !text.includes('"hasNext":false')) throw new Error(text);
      return firstMs;
    },
  };
}

interface GraphResponse {
  readonly data: { readonly items: readonly { readonly stock?: unknown }[] } | null;
  /** One without a path is what the subgraph says of its whole response. */
  readonly errors?: readonly { readonly path?: readonly unknown[] }[];
}

function assertEqual(actual: unknown, expected: unknown): void {
  const text = JSON.stringify(actual);
  if (text !== JSON.stringify(expected)) throw new Error(`${text} instead of ${JSON.stringify(expected)}`);
}
