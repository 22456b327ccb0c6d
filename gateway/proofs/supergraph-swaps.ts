import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { createTemporaryDirectory, proof, type ProofOptions } from '@trellis/testkit';
import { createLogger, createMetrics, type Metrics } from '@trellis/runtime';
import { Pool } from 'undici';
import { gateway } from '../src/app/gateway.ts';
import { compose } from '../src/testing/compose.ts';
import { startLibraryGraph, type LibraryGraph } from '../src/testing/library-graph.ts';
import type { SubgraphServer } from '../src/testing/subgraph-server.ts';
import { startEventGraph } from '../src/testing/event-graph.ts';
import { collectedHeap } from '../test-fixtures/load/collected-heap.ts';
import { openSubscribers, type Subscribers } from '../test-fixtures/load/subscribers.ts';
import { startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';
import { replaceInTypeDefs } from '../src/testing/replace-in-type-defs.ts';

const SIZES = {
  small: { swaps: 4, warmSwaps: 2, perSecond: 40, subscriptions: 20 },
  full: { swaps: 100, warmSwaps: 40, perSecond: 200, subscriptions: 200 },
} as const satisfies Record<ProofOptions['size'], unknown>;

/** How much the heap may grow from the first measurement to the last. A few swaps prove nothing of growth. */
const MAX_GROWTH_PERCENT = { small: 50, full: 5 } as const;
const SWAP_DEADLINE_MS = 15_000;
/** F-12: an invalid supergraph is reported by then. */
const REJECTED_WITHIN_MS = { small: 15_000, full: 5_000 } as const;
const BROKEN_EVERY = 4;
const MULTIPART = 'multipart/mixed;deferSpec=20220824, application/json';

/** F-11: operations of every kind go on while one supergraph takes the place of another. F-12: or a broken one does not. */
proof({
  name: 'supergraph-swaps',
  description:
    'No request fails while the supergraph is swapped again and again, and nothing of the old ones stays.',
  async run({ size }) {
    const { swaps, warmSwaps, perSecond, subscriptions } = SIZES[size];
    const stage = await openStage(subscriptions);
    try {
      const before = await stage.swapUnderLoad(warmSwaps, perSecond);
      const heapBefore = await collectedHeap();
      const during = await stage.swapUnderLoad(swaps - warmSwaps, perSecond);
      const heapAfter = await collectedHeap();
      const growthPercent = (heapAfter / heapBefore - 1) * 100;
      const failed = before.failed + during.failed;
      const generations = await stage.generations();
      const repeated = stage.repeatedMutations();
      const { dropped, lost, repeatedEvents, events } = await stage.subscribers.report();
      const [reason] = [...before.reasons, ...during.reasons];
      return {
        passed:
          failed + dropped + lost === 0 &&
          stage.slowestRejectionMs() <= REJECTED_WITHIN_MS[size] &&
          repeated === 0 &&
          generations <= 2 &&
          growthPercent <= MAX_GROWTH_PERCENT[size],
        figures: {
          swaps,
          requests: before.sent + during.sent,
          failed,
          mutationsRepeated: repeated,
          subscriptions,
          subscriptionsDropped: dropped,
          events,
          eventsLost: lost,
          eventsTwice: repeatedEvents,
          slowestSwapMs: Math.round(stage.slowestSwapMs()),
          slowestRejectionMs: Math.round(stage.slowestRejectionMs()),
          generationsInMemory: generations,
          heapMb: (heapAfter / 1e6).toFixed(1),
          heapGrowthPercent: growthPercent.toFixed(1),
          ...(reason !== undefined && { reason }),
        },
      };
    } finally {
      await stage.close();
    }
  },
});

interface Stage {
  readonly subscribers: Subscribers;
  swapUnderLoad(swaps: number, perSecond: number): Promise<LoadReport>;
  /** From the new file to its being served. */
  slowestSwapMs(): number;
  /** From a broken file to its report. */
  slowestRejectionMs(): number;
  generations(): Promise<number>;
  repeatedMutations(): number;
  close(): Promise<void>;
}

async function openStage(subscriptions: number): Promise<Stage> {
  const graph = await startLibraryGraph();
  const desk = await startEventGraph();
  const directory = createTemporaryDirectory();
  const file = join(directory.path, 'supergraph.graphql');
  const texts = supergraphTexts([...graph.all, asLibrary(desk.news)]);
  await writeFile(file, texts(0));
  const logger = createLogger({ service: 'gateway', level: 'fatal' });
  const metrics = createMetrics('gateway');
  const config = gateway.readConfig({ PORT: '0', SUPERGRAPH: file, GUARDS: 'off' });
  const running = await gateway.start(config, { logger, metrics });
  const client = createClient(running.url, graph);
  const subscribers = await openSubscribers(running.url, desk.news, subscriptions);
  let swapped = 0;
  let slowestMs = 0;
  let slowestRejectionMs = 0;

  /** @returns milliseconds until the counter of that outcome has gone up */
  const replace = async (text: string, outcome: 'serving' | 'rejected'): Promise<number> => {
    const before = await changes(metrics, outcome);
    const start = performance.now();
    await writeFile(`${file}.next`, text);
    await rename(`${file}.next`, file);
    while ((await changes(metrics, outcome)) <= before) {
      if (performance.now() - start > SWAP_DEADLINE_MS)
        throw new Error(`File ${swapped} was not ${outcome}.`);
      await sleep(20);
    }
    return performance.now() - start;
  };

  const swap = async (): Promise<void> => {
    swapped += 1;
    if (swapped % BROKEN_EVERY === 0)
      slowestRejectionMs = Math.max(
        slowestRejectionMs,
        await replace(brokenText(texts, swapped), 'rejected'),
      );
    slowestMs = Math.max(slowestMs, await replace(texts(swapped), 'serving'));
  };

  return {
    subscribers,
    async swapUnderLoad(swaps, perSecond) {
      const load = startLoad({ perSecond, send: client.send });
      for (let number = 0; number < swaps; number += 1) await swap();
      await sleep(500); // what the last swap broke would show now
      return load.stop();
    },
    slowestSwapMs: () => slowestMs,
    slowestRejectionMs: () => slowestRejectionMs,
    generations: () => valueOf(metrics, 'trellis_gateway_supergraph_generations'),
    repeatedMutations: client.repeatedMutations,
    async close() {
      await subscribers.close();
      await client.close();
      await running.close();
      await Promise.all([graph.close(), desk.close()]);
      directory.remove();
    },
  };
}

/** The library imports a directive by another name, and one graph has one name for it. */
function asLibrary(news: SubgraphServer): SubgraphServer {
  const { typeDefs } = news;
  const renamed = '{ name: "@authenticated", as: "@login" }';
  const imported = replaceInTypeDefs(typeDefs, '"@authenticated"', renamed);
  return { ...news, typeDefs: replaceInTypeDefs(imported, 'String @authenticated', 'String @login') };
}

/** Two graphs in turns, each time with another text, so that none of them was there before. */
function supergraphTexts(subgraphs: readonly SubgraphServer[]): (number: number) => string {
  const plain = compose(subgraphs);
  const changed = compose(
    subgraphs.map((subgraph) => ({
      ...subgraph,
      typeDefs: replaceInTypeDefs(subgraph.typeDefs, 'public: String!', 'public: String! added: String'),
    })),
  );
  return (number) => `${number % 2 === 0 ? plain : changed}\n# ${number}\n`;
}

/** Empty, no schema, no supergraph, or half of one; each time another text. */
function brokenText(texts: (number: number) => string, number: number): string {
  const kinds = [
    '',
    'type Query {',
    print(gql`
      type Query {
        public: String!
      }
    `),
    texts(number).slice(0, 3_000),
  ];
  return `${kinds[(number / BROKEN_EVERY) % kinds.length] ?? ''}\n# ${number}\n`;
}

interface Client {
  send(number: number): Promise<void>;
  repeatedMutations(): number;
  close(): Promise<void>;
}

interface Question {
  readonly query: string;
  readonly expected: string;
}

const FIRST_QUESTION: Question = { query: '{ public }', expected: '{"data":{"public":"open to all"}}' };
const QUESTIONS: readonly Question[] = [
  FIRST_QUESTION,
  {
    query: '{ people(limit: 1) { name books { title } } }',
    expected: '{"data":{"people":[{"name":"Ada","books":[{"title":"Book 1"}]}]}}',
  },
  {
    query: '{ books(first: 1) { title author { name } } }',
    expected: '{"data":{"books":[{"title":"Book 1","author":{"name":"Ada"}}]}}',
  },
];
const DEFERRED = '{ people(limit: 1) { name ... @defer { books { title } } } }';

/** Of ten requests, two are mutations and one has a deferred part. */
function createClient(url: string, graph: LibraryGraph): Client {
  const pool = new Pool(url, { connections: 64 });
  let mutations = 0;
  let executed = 0;

  const post = async (body: unknown, accept: string): Promise<string> => {
    const headers = { 'content-type': 'application/json', accept };
    const response = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
    return text;
  };

  const mutate = async (number: number): Promise<void> => {
    mutations += 1;
    const query = `mutation ($name: String!) { rename(id: "user-1", name: $name) { name } }`;
    const name = `name ${number}`;
    assertEqual(
      await post({ query, variables: { name } }, 'application/json'),
      JSON.stringify({ data: { rename: { name } } }),
    );
  };

  const defer = async (): Promise<void> => {
    const text = await post({ query: DEFERRED }, MULTIPART);
    const isWhole =
      text.includes('"name":"Ada"') && text.includes('"title":"Book 1"') && text.includes('"hasNext":false');
    if (!isWhole || text.includes('"errors"')) throw new Error(text);
  };

  const ask = async ({ query, expected }: Question): Promise<void> =>
    assertEqual(await post({ query }, 'application/json'), expected);

  return {
    async send(number) {
      executed += countMutations(graph);
      if (number % 10 < 2) await mutate(number);
      else if (number % 10 === 2) await defer();
      else await ask(QUESTIONS[number % QUESTIONS.length] ?? FIRST_QUESTION);
    },
    repeatedMutations: () => executed + countMutations(graph) - mutations,
    close: () => pool.close(),
  };
}

/** Those since the last count. */
function countMutations(graph: LibraryGraph): number {
  const count = graph.people.received.filter(({ query }) => query.startsWith('mutation')).length;
  graph.forget();
  return count;
}

function assertEqual(actual: string, expected: string): void {
  if (actual !== expected) throw new Error(actual.slice(0, 300));
}

async function changes(metrics: Metrics, outcome: string): Promise<number> {
  return valueOf(metrics, 'trellis_gateway_supergraph_changes_total', outcome);
}

async function valueOf(metrics: Metrics, name: string, outcome?: string): Promise<number> {
  const { values } = (await metrics.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.find(({ labels }) => outcome === undefined || labels['outcome'] === outcome)?.value ?? 0;
}
