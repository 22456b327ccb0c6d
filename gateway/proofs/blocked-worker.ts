import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { proof, type ProofOptions } from '@trellis/testkit';
import { Agent, request } from 'undici';
import { startLibraryGraph } from '../src/testing/library-graph.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/load/gateway-process.ts';
import { quantile, startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';

interface Size {
  readonly perSecond: number;
  readonly phaseMs: number;
  readonly attackers: number;
  readonly p99Ms: number;
  /** Whether a worker is stopped as well: that takes its time to be noticed. */
  readonly standstill: boolean;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { perSecond: 20, phaseMs: 1_500, attackers: 2, p99Ms: 10_000, standstill: false },
  full: { perSecond: 100, phaseMs: 30_000, attackers: 8, p99Ms: 250, standstill: true },
};
const WORKERS = 2;
const CANARY = '{"data":{"__typename":"Query"}}';
const ANSWERED_WITHIN_MS = 20_000;
const BODY_BYTES = 1_000_000;

/** F-21: what blocks one event loop, or would, is felt by no one else. */
proof({
  name: 'blocked-worker',
  description: 'Plan bombs, large bodies and a worker that stands still hold up no other client.',
  async run({ size }) {
    const { perSecond, phaseMs, attackers, standstill, ...allowed } = SIZES[size];
    const graph = await startLibraryGraph();
    const environment = { WORKERS: String(WORKERS) };
    const running = await startGatewayProcess({ subgraphs: graph.all, environment });
    const agent = new Agent({ connections: 64 });
    try {
      const canary = (): Promise<Canaries> => canaryFor(running.url, agent, perSecond, phaseMs);
      const quiet = await canary();
      const attack = startAttack(running.url, attackers);
      const attacked = await canary();
      const { sent, unexpected } = await attack.stop();
      const besideBlocked = standstill ? await besideStopped(running, canary) : undefined;
      const phases = [attacked, ...(besideBlocked ? [besideBlocked] : [])];
      return {
        passed:
          attacked.failed === 0 &&
          unexpected.length === 0 &&
          // what the worker held when it stood still ends with it
          (besideBlocked?.failed ?? 0) <= 1 &&
          phases.every((phase) => p99(phase) <= allowed.p99Ms) &&
          running.process.exitCode === null,
        figures: {
          attacks: sent,
          canaries: attacked.sent,
          failed: attacked.failed,
          quietP99Ms: Math.round(p99(quiet)),
          attackedP99Ms: Math.round(p99(attacked)),
          ...(besideBlocked && {
            besideStopped: besideBlocked.sent,
            failedBesideStopped: besideBlocked.failed,
            besideStoppedP99Ms: Math.round(p99(besideBlocked)),
          }),
          ...reasonOf(...phases),
          ...(unexpected[0] !== undefined && { unexpected: unexpected[0] }),
        },
      };
    } finally {
      running.remove();
      await agent.destroy();
      await graph.close();
    }
  },
});

/** @throws Error when the worker is not replaced */
async function besideStopped(
  { process: { pid } }: GatewayProcess,
  canary: () => Promise<Canaries>,
): Promise<Canaries> {
  const [stopped] = childrenOf(pid);
  if (stopped === undefined) throw new Error('There are no workers.');
  process.kill(stopped, 'SIGSTOP');
  const found = await canary();
  await untilReplaced(pid, stopped);
  return found;
}

function reasonOf(...reports: readonly LoadReport[]): Readonly<Record<string, string>> {
  const [reason] = reports.flatMap(({ reasons }) => reasons);
  return reason === undefined ? {} : { reason };
}

interface Canaries extends LoadReport {
  /** How long those took that were answered, sorted. */
  readonly answeredMs: readonly number[];
}

/** Each on a connection of its own, so that the workers take turns. */
async function canaryFor(url: string, agent: Agent, perSecond: number, ms: number): Promise<Canaries> {
  const answeredMs: number[] = [];
  const load = startLoad({
    perSecond,
    async send() {
      const start = performance.now();
      const response = await request(`${url}/graphql`, {
        method: 'POST',
        dispatcher: agent,
        reset: true,
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{ __typename }"}',
        headersTimeout: ANSWERED_WITHIN_MS,
      });
      const text = await response.body.text();
      if (response.statusCode !== 200 || text !== CANARY) throw new Error(`${response.statusCode} ${text}`);
      answeredMs.push(performance.now() - start);
    },
  });
  await sleep(ms);
  return { ...(await load.stop()), answeredMs: answeredMs.toSorted((left, right) => left - right) };
}

function p99({ answeredMs }: Canaries): number {
  return quantile({ latenciesMs: answeredMs }, 0.99);
}

interface Attack {
  stop(): Promise<{ readonly sent: number; readonly unexpected: readonly string[] }>;
}

/** Several clients, each of which sends the next thing as soon as the last is answered. */
function startAttack(url: string, attackers: number): Attack {
  const agent = new Agent({ connections: attackers });
  const unexpected: string[] = [];
  let sent = 0;
  const ending = new AbortController();
  const attack = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      sent += 1;
      const text = await attackOnce(url, agent, sent).catch(String);
      if (!text.includes('"errors"')) unexpected.push(text.slice(0, 200));
    }
  };
  const attacks = Promise.all(Array.from({ length: attackers }, attack));
  return {
    async stop() {
      ending.abort();
      await attacks;
      await agent.destroy();
      return { sent, unexpected };
    },
  };
}

async function attackOnce(url: string, agent: Agent, number: number): Promise<string> {
  const body = ATTACKS[number % ATTACKS.length]?.(number) ?? '';
  const response = await request(`${url}/graphql`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json' },
    body,
  });
  return response.body.text();
}

/** Texts that differ each time, so that no cache knows them. */
const ATTACKS: readonly ((number: number) => string)[] = [
  (number) => JSON.stringify({ query: planBomb(number) }),
  () => `{"query":"{ nothing }","variables":{"v":${nested('[', ']')}}}`,
  () => `{"query":"{ nothing }","variables":{"v":[${'{},'.repeat(BODY_BYTES / 3)}{}]}}`,
  (number) => JSON.stringify({ query: `{ ${`a${number}: nothing `.repeat(BODY_BYTES / 20)} }` }),
];

function planBomb(number: number): string {
  const fragments = Array.from({ length: 30 }, (_, level) => {
    const next = `...F${level + 1}`;
    return `fragment F${level} on User { a${level}: friends { ${next} } b${level}: friends { ${next} } }`;
  });
  return `query Q${number} { people { ...F0 } } ${fragments.join(' ')} fragment F30 on User { name }`;
}

function nested(open: string, close: string): string {
  return open.repeat(BODY_BYTES / 2) + close.repeat(BODY_BYTES / 2);
}

function childrenOf(pid = 0): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

const REPLACED_WITHIN_MS = 120_000;

async function untilReplaced(pid: number | undefined, stopped: number): Promise<void> {
  const deadline = Date.now() + REPLACED_WITHIN_MS;
  for (;;) {
    const workers = childrenOf(pid);
    if (workers.length >= WORKERS && !workers.includes(stopped)) return;
    if (Date.now() > deadline) throw new Error('The worker was not replaced.');
    await sleep(200);
  }
}
