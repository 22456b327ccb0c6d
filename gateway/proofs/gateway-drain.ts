import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Proof, ProofOutcome } from '@trellis/testkit';
import { Agent, request } from 'undici';
import { WebSocket } from 'ws';
import { startEventGraph, type EventGraph } from '../src/testing/event-graph.ts';
import { startGatewayProcess } from '../test-fixtures/load/gateway-process.ts';
import { startLoad } from '../test-fixtures/load/open-loop.ts';

const SIZES = {
  small: { perSecond: 40, workers: [2], subscriptions: 5 },
  full: { perSecond: 200, workers: [1, 2, 1, 2, 1, 2], subscriptions: 100 },
} as const;
const EXIT_WITHIN_MS = 30_000;
const SHED = 503;
const PERSON = '{ person(id: "1") { name } }';
const DEFERRED = '{ latest { id ... @defer { author { name } } } }';

/** F-13: SIGTERM under load, to one process and to several. */
export const proof: Proof = {
  name: 'gateway-drain',
  description:
    'A gateway that is told to end answers what it has begun, closes every socket in order, and ends with 0.',
  async run({ size }) {
    const graph = await startEventGraph();
    try {
      const outcomes: Drained[] = [];
      for (const workers of SIZES[size].workers) outcomes.push(await drainOnce(graph, workers, SIZES[size]));
      return judge(outcomes);
    } finally {
      await graph.close();
    }
  },
};

interface Drained {
  readonly requests: number;
  /** Requests that were sent before the signal and not answered, and all that were answered otherwise than they should be. */
  readonly failed: number;
  /** Those that were sent after the signal and found nobody any more. */
  readonly turnedAway: number;
  readonly reason: string | undefined;
  readonly exitCode: number | null;
  readonly exitMs: number;
  readonly sockets: number;
  /** How many of them were told why they end. */
  readonly closedInOrder: number;
}

function judge(outcomes: readonly Drained[]): ProofOutcome {
  const sum = (name: 'requests' | 'failed' | 'turnedAway' | 'sockets' | 'closedInOrder'): number =>
    outcomes.reduce((total, outcome) => total + outcome[name], 0);
  const exitMs = Math.max(...outcomes.map((outcome) => outcome.exitMs));
  const reason = outcomes.find((outcome) => outcome.reason !== undefined)?.reason;
  return {
    passed:
      sum('failed') === 0 &&
      sum('closedInOrder') === sum('sockets') &&
      exitMs <= EXIT_WITHIN_MS &&
      outcomes.every(({ exitCode }) => exitCode === 0),
    figures: {
      drains: outcomes.length,
      requests: sum('requests'),
      failed: sum('failed'),
      turnedAway: sum('turnedAway'),
      sockets: sum('sockets'),
      closedInOrder: sum('closedInOrder'),
      slowestExitMs: Math.round(exitMs),
      exitCodes: [...new Set(outcomes.map(({ exitCode }) => String(exitCode)))].join(' '),
      ...(reason !== undefined && { reason }),
    },
  };
}

interface Size {
  readonly perSecond: number;
  readonly subscriptions: number;
}

async function drainOnce(
  graph: EventGraph,
  workers: number,
  { perSecond, subscriptions }: Size,
): Promise<Drained> {
  const running = await startGatewayProcess({
    subgraphs: graph.all,
    environment: { WORKERS: String(workers) },
  });
  const { url } = running;
  try {
    const sockets = await openSockets(url, subscriptions);
    const agent = new Agent({ connections: 64 });
    let signalledAt = Infinity;
    let failed = 0;
    let turnedAway = 0;
    const load = startLoad({
      perSecond,
      async send(number) {
        const sentAt = performance.now();
        try {
          await ask(url, agent, number);
        } catch (error) {
          if (sentAt >= signalledAt && !(error instanceof BadAnswer)) turnedAway += 1;
          else {
            failed += 1;
            throw error;
          }
        }
      },
    });
    await sleep(1_500);
    const ended = once(running.process, 'exit');
    signalledAt = performance.now();
    running.process.kill('SIGTERM');
    const [exitCode] = (await ended) as [number | null];
    const exitMs = performance.now() - signalledAt;
    const report = await load.stop();
    const codes = await Promise.all(sockets.map((socket) => socket.closed));
    await agent.destroy();
    return {
      requests: report.sent,
      failed,
      turnedAway,
      reason: report.reasons[0],
      exitCode,
      exitMs,
      sockets: codes.length,
      closedInOrder: codes.filter((code) => code === 1001 || code === 1012).length,
    };
  } finally {
    running.remove();
  }
}

/** An answer that was begun, and is not what it should be. */
class BadAnswer extends Error {}

/** Half of the requests are on connections of their own, and some have deferred parts. */
async function ask(url: string, agent: Agent, number: number): Promise<void> {
  const deferred = number % 5 === 0;
  const accept = deferred ? 'multipart/mixed;deferSpec=20220824' : 'application/json';
  const answer = await request(`${url}/graphql`, {
    method: 'POST',
    dispatcher: agent,
    reset: number % 2 === 0,
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query: deferred ? DEFERRED : PERSON }),
  });
  const text = await answer.body.text().catch((error: unknown) => {
    throw new BadAnswer('The answer is cut off.', { cause: error });
  });
  const isWhole = deferred
    ? text.includes('"hasNext":false')
    : text === '{"data":{"person":{"name":"Person 1"}}}';
  if (answer.statusCode === SHED) return; // a machine that is busy beyond measure; it is an answer, and in order
  if (!isWhole || answer.statusCode !== 200) throw new BadAnswer(`${answer.statusCode} ${text}`);
}

interface Subscriber {
  /** The code of the close frame; 1006 where there was none. */
  readonly closed: Promise<number>;
}

async function openSockets(url: string, count: number): Promise<readonly Subscriber[]> {
  return Promise.all(Array.from({ length: count }, () => openSocket(url)));
}

async function openSocket(url: string): Promise<Subscriber> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => undefined); // a close follows
  const closed = new Promise<number>((resolve) => {
    socket.on('close', resolve);
  });
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  const payload = { query: 'subscription { published { id } }' };
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }));
  return { closed };
}
