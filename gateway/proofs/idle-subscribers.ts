import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { Pool } from 'undici';
import { HEAP_FLAGS } from '../src/app/heap-flags.ts';
import { startEventGraph, type EventGraph } from '../src/testing/event-graph.ts';
import type { CrowdReport } from '../test-fixtures/load/crowd/messages.ts';
import { startCrowd, type Crowd } from '../test-fixtures/load/crowd/start-crowd.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/load/gateway-process.ts';
import { quantile, startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';

const SIZES = {
  small: { clients: 100, some: 40, idleMs: 0, perSecond: 20, maxSomeMs: 30_000, maxAllMs: 30_000 },
  full: { clients: 10_000, some: 2_000, idleMs: 30_000, perSecond: 50, maxSomeMs: 250, maxAllMs: 500 },
} as const;

const MAX_RESIDENT_BYTES = 600_000_000;
const AT_ONCE = 100;
/** Files that a gateway needs beside its connections. */
const OTHER_FILES = 200;
const HEARD_WITHIN_MS = 60_000;
/** Those who have subscribed since the last event hear the next one. */
const PUBLISH_AGAIN_MS = 2_000;
const SETTINGS = `subscriptions: { maxPerUser: 1000000, webSocket: { maxConnectionsPerAddress: 20000 } }\n`; // all come from one address

/** F-19: connections that are open and silent, and come again at once. */
proof({
  name: 'idle-subscribers',
  description:
    'Ten thousand silent subscribers fit in 600 MB, and hurt no one when they all come again at once.',
  async run({ size }) {
    const { clients, some, idleMs, perSecond, maxSomeMs, maxAllMs } = SIZES[size];
    const stage = await openStage();
    try {
      const limit = fileLimit(stage.gateway);
      if (limit < clients + OTHER_FILES)
        throw new Error(`A process may open ${limit} files here: too few for ${clients} connections.`);
      const before = residentBytes(stage.gateway);
      await stage.crowd.ask({ kind: 'join', clients, atOnce: AT_ONCE });
      const joined = await stage.allHear(clients);
      await sleep(idleMs);
      const idle = residentBytes(stage.gateway);
      const [someAgain, afterSome] = await stage.reconnect(some, { clients, perSecond });
      const [allAgain, afterAll] = await stage.reconnect(clients, { clients, perSecond });
      const [someMs, allMs] = [someAgain, allAgain].map((load) => quantile(load, 0.99));
      const hearing = [joined, afterSome, afterAll].map((report) => report.hearing);
      const failed = someAgain.failed + allAgain.failed;
      return {
        passed:
          hearing.every((count) => count === clients) &&
          afterAll.closed === 0 &&
          failed === 0 &&
          idle <= MAX_RESIDENT_BYTES &&
          (someMs ?? 0) <= maxSomeMs &&
          (allMs ?? 0) <= maxAllMs &&
          stage.graph.news.open() === 1,
        figures: {
          clients,
          hearing: hearing.join(', '),
          closedByGateway: afterAll.closed,
          attemptsRepeated: afterAll.repeated,
          subscriptionsUpstream: stage.graph.news.open(),
          residentMb: Math.round(idle / 1e6),
          residentKbPerClient: ((idle - before) / clients / 1_024).toFixed(1),
          canaryRequests: someAgain.sent + allAgain.sent,
          canaryFailed: failed,
          [`canaryP99MsWhile${some}Return`]: Math.round(someMs ?? 0),
          [`canaryP99MsWhile${clients}Return`]: Math.round(allMs ?? 0),
        },
      };
    } finally {
      await stage.close();
    }
  },
});

interface Stage {
  readonly gateway: GatewayProcess;
  readonly graph: EventGraph;
  readonly crowd: Crowd;
  /** Publishes events until all have heard one, or a minute is over. */
  allHear(clients: number): Promise<CrowdReport>;
  /** Has some leave and come again at once, beside a canary. @returns how that fared until all heard of an event again */
  reconnect(some: number, all: Everybody): Promise<readonly [canary: LoadReport, CrowdReport]>;
  close(): Promise<void>;
}

interface Everybody {
  readonly clients: number;
  /** Requests of the canary. */
  readonly perSecond: number;
}

async function openStage(): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const graph = await startEventGraph();
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(settings, SETTINGS);
  const gateway = await startGatewayProcess({
    subgraphs: graph.all,
    environment: { CONFIG: settings },
    nodeArguments: HEAP_FLAGS, // as `npm run gateway` has it
  });
  const crowd = startCrowd(`${gateway.url.replace('http', 'ws')}/graphql`);
  const pool = new Pool(gateway.url, { connections: 16 });
  let published = 0;
  const hearOne = async (clients: number): Promise<CrowdReport> => {
    published += 1;
    graph.news.publish({ id: String(published), author: '1' });
    const again = Date.now() + PUBLISH_AGAIN_MS;
    for (;;) {
      const report = await crowd.ask({ kind: 'count' });
      if (Date.now() > again || (report.newest === published && report.hearing === clients)) return report;
      await sleep(50);
    }
  };
  const allHear = async (clients: number): Promise<CrowdReport> => {
    const deadline = Date.now() + HEARD_WITHIN_MS;
    for (;;) {
      const report = await hearOne(clients);
      if (report.hearing === clients || Date.now() > deadline) return report;
    }
  };
  await ask(pool); // it is planned
  return {
    gateway,
    graph,
    crowd,
    allHear,
    async reconnect(some, { clients, perSecond }) {
      const canary = startLoad({ perSecond, send: () => ask(pool) });
      await crowd.ask({ kind: 'reconnect', clients: some });
      const report = await allHear(clients);
      return [await canary.stop(), report];
    },
    async close() {
      crowd.stop();
      await pool.close();
      gateway.remove();
      await graph.close();
      directory.remove();
    },
  };
}

async function ask(pool: Pool): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = '{"query":"{ user(id: \\"1\\") { name } }"}';
  const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
  const text = await response.body.text();
  if (text !== '{"data":{"user":{"name":"User 1"}}}') throw new Error(text.slice(0, 300));
}

/** Resident memory, bytes. Linux only: it reads /proc. */
function residentBytes({ process: { pid } }: GatewayProcess): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

/** How many files the process may have open. */
function fileLimit({ process: { pid } }: GatewayProcess): number {
  return Number(
    /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? Infinity,
  );
}
