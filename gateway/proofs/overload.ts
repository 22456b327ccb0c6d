import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, proof, type ProofOptions } from '@trellis/testkit';
import { Pool } from 'undici';
import { compose } from '../src/testing/compose.ts';
import { startTokenIssuer } from '../src/testing/token-issuer.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/gateway-process.ts';
import { quantile, startLoad } from '../test-fixtures/load/open-loop.ts';
import { startStockGraph } from '../test-fixtures/load/stock-graph.ts';

interface Size {
  readonly articles: number;
  readonly phaseMs: number;
  readonly overloadMs: number;
  /** Of what the gateway answers when no one is rejected. */
  readonly minGoodput: number;
  /** How much later than normal responses of those who were let in may be, and by how much at least. */
  readonly slower: number;
  readonly slackMs: number;
  /** Where time is too short to learn the capacity, no one may have to be rejected. */
  readonly minRejected: number;
  /** Share of those let in that were sent by callers who are known; they are half of all who ask. */
  readonly minKnown: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: {
    articles: 400,
    phaseMs: 1_000,
    overloadMs: 2_000,
    minGoodput: 0.1,
    slower: 10,
    slackMs: 5_000,
    minRejected: 0,
    minKnown: 0.3,
  },
  full: {
    articles: 400,
    phaseMs: 15_000,
    overloadMs: 60_000,
    minGoodput: 0.9,
    slower: 2,
    slackMs: 0,
    minRejected: 1,
    minKnown: 0.75,
  },
};
const TIMES_CAPACITY = 3;
/** Of capacity: what a process that is well sized works at. */
const NORMAL_SHARE = 0.7;
const CONNECTIONS = 1_000;
/** Enough to keep the gateway busy. */
const SATURATING = 16;

/** Requests that go straight to a subgraph, to see what the processes of this proof delay by themselves. */
const CONTROLS_PER_SECOND = 50;

/**
 * F-20: three times as many requests as the gateway can answer, half of them from anonymous callers. They come from the process that the
 * subgraphs run in, on the same processors. What that delays is measured by requests that go straight to a subgraph, and allowed for, at
 * most once more what requests take without the load.
 */
proof({
  name: 'overload',
  description:
    'Under three times the load it can bear, a gateway serves as many as ever, callers it knows first, and rejects the rest at once, apart from what requests that go straight to a subgraph wait longer as well.',
  async run({ size }) {
    const { articles, phaseMs, overloadMs, minGoodput, slower, slackMs, minRejected, minKnown } = SIZES[size];
    const stage = await openStage(articles);
    try {
      await saturate(stage, phaseMs); // warms caches and compiler
      const before = await saturate(stage, phaseMs);
      const normal = await press(stage, before * NORMAL_SHARE, phaseMs);
      const over = await press(stage, before * TIMES_CAPACITY, overloadMs);
      const after = await saturate(stage, phaseMs);
      const known = over.admittedKnown / over.admittedMs.length;
      const capacity = (before + after) / 2;
      const goodput = over.goodPerSecond / capacity;
      const [normalP99Ms, admittedP99Ms] = [p99(normal.admittedMs), p99(over.admittedMs)];
      const delayedMs = p99(over.controlMs) - p99(normal.controlMs);
      const delayedElsewhereMs = Math.min(Math.max(0, delayedMs), normalP99Ms);
      return {
        passed:
          goodput >= minGoodput &&
          admittedP99Ms <= normalP99Ms * slower + delayedElsewhereMs + slackMs &&
          over.rejectedMs.length >= minRejected &&
          known >= minKnown &&
          over.failed + normal.failed === 0,
        figures: {
          capacityPerSecond: Math.round(capacity),
          offeredPerSecond: Math.round(before * TIMES_CAPACITY),
          goodputPercent: Math.round(goodput * 100),
          normalP99Ms: Math.round(normalP99Ms),
          admittedP99Ms: Math.round(admittedP99Ms),
          controlP99Ms: `${Math.round(p99(normal.controlMs))}, ${Math.round(p99(over.controlMs))}`,
          delayedElsewhereMs: Math.round(delayedElsewhereMs),
          admittedKnownPercent: Math.round(known * 100),
          rejected: over.rejectedMs.length,
          rejectedP50Ms: Math.round(quantile({ latenciesMs: over.rejectedMs }, 0.5)),
          rejectedInNormal: normal.rejectedMs.length,
          wrongResponses: over.failed + normal.failed,
          ...(over.reason !== undefined && { reason: over.reason }),
        },
      };
    } finally {
      await stage.close();
    }
  },
});

interface Stage {
  readonly gateway: GatewayProcess;
  /** @returns what became of a request. Rejects for any response that is neither whole nor a proper rejection */
  ask(): Promise<Outcome>;
  /** Asks a subgraph. Rejects where it does not respond. */
  askSubgraph(): Promise<void>;
  close(): Promise<void>;
}

interface Outcome {
  readonly isAdmitted: boolean;
  /** Whether the gateway knew who asked. */
  readonly isKnown: boolean;
}

interface Pressure {
  readonly goodPerSecond: number;
  /** Sorted. */
  readonly admittedMs: readonly number[];
  /** How many of them were sent by callers who are known. */
  readonly admittedKnown: number;
  readonly rejectedMs: readonly number[];
  /** What requests took that went straight to a subgraph. Sorted. */
  readonly controlMs: readonly number[];
  readonly failed: number;
  readonly reason: string | undefined;
}

/** As many as it can: a few clients who each ask again as soon as they are answered. @returns answers a second */
async function saturate(stage: Stage, durationMs: number): Promise<number> {
  const start = performance.now();
  let answered = 0;
  const client = async (): Promise<void> => {
    while (performance.now() - start < durationMs) if ((await stage.ask()).isAdmitted) answered += 1;
  };
  await Promise.all(Array.from({ length: SATURATING }, client));
  return (answered / (performance.now() - start)) * 1_000;
}

/** As many as requested, however slowly they are answered. */
async function press(stage: Stage, perSecond: number, durationMs: number): Promise<Pressure> {
  const admittedMs: number[] = [];
  const rejectedMs: number[] = [];
  let admittedKnown = 0;
  const load = startLoad({
    perSecond,
    async send() {
      const start = performance.now();
      const { isAdmitted, isKnown } = await stage.ask();
      (isAdmitted ? admittedMs : rejectedMs).push(performance.now() - start);
      if (isAdmitted && isKnown) admittedKnown += 1;
    },
  });
  const control = startLoad({ perSecond: CONTROLS_PER_SECOND, send: stage.askSubgraph });
  await sleep(durationMs);
  const good = admittedMs.length;
  const [{ failed, reasons }, controls] = await Promise.all([load.stop(), control.stop()]);
  return {
    goodPerSecond: (good / durationMs) * 1_000,
    admittedMs: sorted(admittedMs),
    admittedKnown,
    rejectedMs: sorted(rejectedMs),
    controlMs: controls.latenciesMs,
    failed: failed + controls.failed,
    reason: reasons[0] ?? controls.reasons[0],
  };
}

function sorted(values: readonly number[]): readonly number[] {
  return values.toSorted((left, right) => left - right);
}

function p99(latenciesMs: readonly number[]): number {
  return quantile({ latenciesMs }, 0.99);
}

async function openStage(articles: number): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const graph = await startStockGraph({ articles });
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose(graph.subgraphs));
  const issuer = await startTokenIssuer();
  const token = await issuer.sign();
  const gateway = await startGatewayProcess({
    SUPERGRAPH: file,
    GUARDS: 'off',
    ...issuer.environment,
  });
  const pool = new Pool(gateway.url, { connections: CONNECTIONS });
  const direct = new Pool(new URL(graph.subgraphs[0]?.url ?? '').origin);
  let asked = 0;
  return {
    gateway,
    async ask() {
      const body = JSON.stringify({ query: graph.query, variables: { page: (asked += 1) } });
      const isKnown = asked % 2 === 0;
      const headers = {
        'content-type': 'application/json',
        ...(isKnown && { authorization: `Bearer ${token}` }),
      };
      const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
      const text = await response.body.text();
      if (response.statusCode === 200 && text.startsWith('{"data":{"articles":[{'))
        return { isAdmitted: true, isKnown };
      if (response.statusCode === 503 && response.headers['retry-after'] === '1')
        return { isAdmitted: false, isKnown };
      throw new Error(`${response.statusCode} ${text.slice(0, 200)}`);
    },
    async askSubgraph() {
      const { statusCode, body } = await direct.request({ path: '/graphql', method: 'POST', body: '{}' });
      await body.dump();
      if (statusCode !== 200) throw new Error(`A subgraph responds ${statusCode}.`);
    },
    async close() {
      await pool.close();
      await direct.close();
      await gateway.stop();
      await graph.close();
      await issuer.close();
      directory.remove();
    },
  };
}
