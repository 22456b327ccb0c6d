import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, createMetrics } from '@trellis/deployable';
import { createTemporaryDirectory, type Proof, type ProofOptions, type ProofOutcome } from '@trellis/testkit';
import { Pool } from 'undici';
import { gateway } from '../src/gateway.ts';
import { compose } from '../src/testing/compose.ts';
import { startSubgraph } from '../src/testing/subgraph-server.ts';
import {
  startFaultySubgraph,
  type FaultySubgraph,
} from '../test-fixtures/faulty-subgraph/start-faulty-subgraph.ts';
import type { Behaviour } from '../test-fixtures/faulty-subgraph/messages.ts';
import { FEDERATION } from '../test-fixtures/federation.ts';
import { quantile, startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';

interface Size {
  readonly perSecond: number;
  readonly kills: number;
  readonly frozenMs: number;
  readonly phaseMs: number;
  /** From the start of a process that was killed to the first good answer. */
  readonly recoveryMs: number;
  /** How much later than before answers may be that the fault has nothing to do with, and by how much at least. */
  readonly slower: number;
  readonly slackMs: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: {
    perSecond: 40,
    kills: 2,
    frozenMs: 3_000,
    phaseMs: 1_000,
    recoveryMs: 5_000,
    slower: 4,
    slackMs: 500,
  },
  full: {
    perSecond: 200,
    kills: 20,
    frozenMs: 30_000,
    phaseMs: 5_000,
    recoveryMs: 1_000,
    slower: 1.5,
    slackMs: 100,
  },
};
const SUBGRAPH_MS = 2_000;
const PAUSE_MS = 1_000;
const MIB = 1_048_576;

/** F-01 to F-04: a subgraph that dies, hangs, is late, or answers what is no answer. */
export const proof: Proof = {
  name: 'subgraph-faults',
  description:
    'What one subgraph does wrong is told at its own fields; everything else is answered as before.',
  async run({ size }) {
    const stage = await openStage();
    try {
      const settings = SIZES[size];
      const steps = [killed, frozen, late, misbehaving];
      const outcomes: ProofOutcome[] = [];
      for (const step of steps) outcomes.push(await step(stage, settings));
      return {
        passed: outcomes.every(({ passed }) => passed),
        figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)) as ProofOutcome['figures'],
      };
    } finally {
      await stage.close();
    }
  },
};

interface Stage {
  readonly subgraph: FaultySubgraph;
  /** Does not touch the subgraph. */
  unaffected(): Promise<void>;
  /** Needs it: answered, or null with an error at the field, as fast as may be. @returns whether it was answered */
  affected(): Promise<boolean>;
  mutate(token: string): Promise<void>;
  /** Milliseconds to the first part of an answer whose other part needs the subgraph. */
  firstPartMs(): Promise<number>;
  journal(): readonly string[];
  close(): Promise<void>;
}

/** F-01: kill -9 in the midst of requests, again and again. */
async function killed(stage: Stage, { perSecond, kills, recoveryMs }: Size): Promise<ProofOutcome> {
  let tokens = 0;
  const load = startLoad({
    perSecond,
    async send(number) {
      if (number % 4 === 0) await stage.affected();
      else if (number % 4 === 1) await stage.mutate(`token ${(tokens += 1)}`);
      else await stage.unaffected();
    },
  });
  let slowestMs = 0;
  for (let round = 0; round < kills; round += 1) {
    await sleep(300);
    await stage.subgraph.kill();
    await sleep(1_000);
    await stage.subgraph.restart();
    slowestMs = Math.max(slowestMs, await untilAnswered(stage));
  }
  const report = await load.stop();
  const written = stage.journal();
  const repeated = written.length - new Set(written).size;
  return {
    passed: report.failed === 0 && repeated === 0 && written.length > 0 && slowestMs <= recoveryMs,
    figures: {
      kills,
      killRequests: report.sent,
      killFailed: report.failed,
      mutationsRepeated: repeated,
      goodAfterMs: Math.round(slowestMs),
      ...reasonOf('killReason', report),
    },
  };
}

/** F-02: SIGSTOP. */
async function frozen(stage: Stage, size: Size): Promise<ProofOutcome> {
  const { perSecond, frozenMs, phaseMs, slower, slackMs } = size;
  const before = await unaffectedFor(stage, perSecond, phaseMs);
  stage.subgraph.freeze();
  const hanging = startLoad({ perSecond, send: () => stage.affected().then(() => undefined) });
  await sleep(2 * SUBGRAPH_MS);
  await hanging.stop(); // it has opened by now
  let waited = 0;
  const openSince = performance.now();
  const afterOpen = startLoad({
    perSecond,
    async send() {
      const start = performance.now();
      await stage.affected();
      if (performance.now() - start >= SUBGRAPH_MS) waited += 1;
    },
  });
  const during = await unaffectedFor(stage, perSecond, frozenMs);
  const opened = await afterOpen.stop();
  const openMs = performance.now() - openSince;
  stage.subgraph.thaw();
  const recoveredMs = await untilAnswered(stage);
  const allowedMs = quantile(before, 0.99) * slower + slackMs;
  const p99Ms = quantile(during, 0.99);
  // one call in each pause finds out whether it is back
  const allowedCalls = Math.max(opened.sent * 0.01, openMs / PAUSE_MS + 2);
  return {
    passed:
      during.failed + opened.failed === 0 &&
      p99Ms <= allowedMs &&
      waited <= allowedCalls &&
      recoveredMs <= PAUSE_MS + size.recoveryMs,
    figures: {
      frozenP99Ms: Math.round(p99Ms),
      baselineP99Ms: Math.round(quantile(before, 0.99)),
      callsAfterOpen: waited,
      ofRequests: opened.sent,
      recoveredMs: Math.round(recoveredMs),
      ...reasonOf('frozenReason', opened),
    },
  };
}

/** F-03: half a second later than usual; what needs it is deferred. */
async function late(stage: Stage, { phaseMs, slower, slackMs }: Size): Promise<ProofOutcome> {
  const before = await firstPartsFor(stage, phaseMs);
  stage.subgraph.behave({ kind: 'late', ms: SUBGRAPH_MS / 2 });
  const during = await firstPartsFor(stage, phaseMs);
  stage.subgraph.behave({ kind: 'good' });
  return {
    passed: during <= before * slower + slackMs && during < SUBGRAPH_MS / 2 + slackMs,
    figures: { firstPartP99Ms: Math.round(during), firstPartBaselineMs: Math.round(before) },
  };
}

const MISBEHAVIOURS: readonly Behaviour[] = [
  { kind: 'garbage' },
  { kind: 'wrong-types' },
  { kind: 'huge', bytes: 1_024 * MIB },
  { kind: 'endless' },
];

/** F-04. */
async function misbehaving(stage: Stage, { perSecond, phaseMs }: Size): Promise<ProofOutcome> {
  const rssBefore = process.memoryUsage().rss;
  const reports: LoadReport[] = [];
  for (const behaviour of MISBEHAVIOURS) {
    stage.subgraph.behave(behaviour);
    // floods cost the machine as much as they cost us
    const rate = behaviour.kind === 'huge' || behaviour.kind === 'endless' ? perSecond / 20 : perSecond;
    const load = startLoad({
      perSecond: rate,
      send: async (number) => void (number % 2 === 0 ? await stage.affected() : await stage.unaffected()),
    });
    await sleep(phaseMs);
    reports.push(await load.stop());
  }
  stage.subgraph.behave({ kind: 'good' });
  const rssMb = (process.memoryUsage().rss - rssBefore) / 1e6;
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  return {
    passed: failed === 0 && rssMb <= 100,
    figures: {
      misbehavedRequests: reports.reduce((sum, { sent }) => sum + sent, 0),
      malformedAnswers: failed,
      rssGrowthMb: Math.round(rssMb),
      ...reasonOf('misbehavedReason', ...reports),
    },
  };
}

function reasonOf(name: string, ...reports: readonly LoadReport[]): Readonly<Record<string, string>> {
  const [reason] = reports.flatMap(({ reasons }) => reasons);
  return reason === undefined ? {} : { [name]: reason };
}

async function unaffectedFor(stage: Stage, perSecond: number, ms: number): Promise<LoadReport> {
  const load = startLoad({ perSecond, send: () => stage.unaffected() });
  await sleep(ms);
  return load.stop();
}

const DEFERRED_AT_A_TIME = 5;

/** @returns the 99th percentile, milliseconds */
async function firstPartsFor(stage: Stage, ms: number): Promise<number> {
  const latenciesMs: number[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const parts = await Promise.all(Array.from({ length: DEFERRED_AT_A_TIME }, () => stage.firstPartMs()));
    latenciesMs.push(...parts);
  }
  return quantile({ latenciesMs: latenciesMs.toSorted((left, right) => left - right) }, 0.99);
}

const RECOVERY_DEADLINE_MS = 15_000;

/** @returns milliseconds */
async function untilAnswered(stage: Stage): Promise<number> {
  const start = performance.now();
  while (!(await stage.affected())) {
    if (performance.now() - start > RECOVERY_DEADLINE_MS) return Infinity;
    await sleep(20);
  }
  return performance.now() - start;
}

const SHOP = `${FEDERATION}
  type Query { items: [Item!]! }
  type Item @key(fields: "id") { id: ID! name: String! }`;
const STOCK = `${FEDERATION}
  type Mutation { restock(token: String!): String }
  type Item @key(fields: "id") { id: ID! stock: Int }`;
const ITEMS = [{ id: '1', name: 'one' }];

async function openStage(): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const journal = join(directory.path, 'journal');
  writeFileSync(journal, '');
  const subgraph = await startFaultySubgraph(journal);
  const resolveReference = ({ id }: { readonly id: string }) => ITEMS.find((item) => item.id === id);
  const shop = await startSubgraph({
    name: 'shop',
    typeDefs: SHOP,
    resolvers: { Query: { items: () => ITEMS }, Item: { __resolveReference: resolveReference } },
  });
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose([shop, { name: 'stock', typeDefs: STOCK, url: subgraph.url }]));
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(
    settings,
    `{timeouts: {subgraphMs: ${SUBGRAPH_MS}}, traffic: {breaker: {sleepMs: ${PAUSE_MS}}}}`,
  );
  const running = await gateway.start(
    gateway.readConfig({ PORT: '0', SUPERGRAPH: file, CONFIG: settings, GUARDS: 'off' }),
    { logger: createLogger({ service: 'gateway', level: 'silent' }), metrics: createMetrics('gateway') },
  );
  const pool = new Pool(running.url, { connections: 512 });
  return {
    subgraph,
    ...createRequests(pool, () => shop.forget()),
    journal: () =>
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    async close() {
      await pool.close();
      await running.close();
      await Promise.all([subgraph.kill(), shop.close()]);
      directory.remove();
    },
  };
}

type Requests = Pick<Stage, 'unaffected' | 'affected' | 'mutate' | 'firstPartMs'>;

function createRequests(pool: Pool, forget: () => void): Requests {
  const post = async (body: unknown): Promise<unknown> => {
    forget();
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  return {
    async unaffected() {
      assertEqual(await post({ query: '{ items { name } }' }), { data: { items: [{ name: 'one' }] } });
    },
    async affected() {
      const answer = (await post({ query: '{ items { name stock } }' })) as Answer;
      const isAnswered = answer.data?.items[0]?.stock === 10;
      assertEqual(answer.data, { items: [{ name: 'one', stock: isAnswered ? 10 : null }] });
      assertEqual(answer.errors?.map(({ path }) => path) ?? [], isAnswered ? [] : [['items', 0, 'stock']]);
      return isAnswered;
    },
    async mutate(token) {
      const query = 'mutation ($token: String!) { restock(token: $token) }';
      const answer = (await post({ query, variables: { token } })) as Answer;
      const paths = answer.errors?.map(({ path }) => path) ?? [];
      assertEqual(answer.data, { restock: paths.length === 0 ? token : null });
      if (paths.length > 0) assertEqual(paths, [['restock']]);
    },
    async firstPartMs() {
      const start = performance.now();
      const headers = { 'content-type': 'application/json', accept: 'multipart/mixed;deferSpec=20220824' };
      const body = JSON.stringify({ query: '{ items { name ... @defer { stock } } }' });
      const answer = await pool.request({ path: '/graphql', method: 'POST', headers, body });
      let firstMs: number | undefined;
      for await (const _chunk of answer.body) firstMs ??= performance.now() - start;
      return firstMs ?? Infinity;
    },
  };
}

interface Answer {
  readonly data: { readonly items: readonly { readonly stock?: unknown }[] } | null;
  readonly errors?: readonly { readonly path: readonly unknown[] }[];
}

function assertEqual(actual: unknown, expected: unknown): void {
  const text = JSON.stringify(actual);
  if (text !== JSON.stringify(expected)) throw new Error(`${text} instead of ${JSON.stringify(expected)}`);
}
