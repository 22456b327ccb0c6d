import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { proof, type ProofOutcome } from '@trellis/testkit';
import { Agent, request } from 'undici';
import { startEventGraph, type EventGraph } from '../src/testing/event-graph.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/load/gateway-process.ts';
import { startNumberedEvents, type NumberedEvents } from '../test-fixtures/load/numbered-events.ts';
import { startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';
import { openResumingSubscribers, type ResumingReport } from '../test-fixtures/load/resuming-subscribers.ts';

const SIZES = {
  small: { perSecond: 40, workers: [2], subscriptions: 5 },
  full: { perSecond: 200, workers: [1, 2, 1, 2, 1, 2], subscriptions: 100 },
} as const;
const EVENTS_PER_SECOND = 20;
const EXIT_WITHIN_MS = 30_000;
const SHED = 503;
const USER = '{ user(id: "1") { name } }';
const DEFERRED = '{ latest { id ... @defer { author { name } } } }';

/** F-13: SIGTERM under load, to one process and to several. Another gateway takes the subscribers, as behind a load balancer. */
proof({
  name: 'gateway-drain',
  description:
    'A gateway that is asked to end answers what it has begun, closes every socket in order, and ends with 0; no subscriber loses an event.',
  async run({ size }) {
    const graph = await startEventGraph();
    const other = startGatewayProcess({ subgraphs: graph.all, environment: { WORKERS: '1' } });
    const started = other.catch(() => undefined); // awaited where it is needed
    const events = startNumberedEvents(graph.news, EVENTS_PER_SECOND);
    try {
      const outcomes: Drained[] = [];
      for (const workers of SIZES[size].workers)
        outcomes.push(await drainOnce({ graph, events, other, ...SIZES[size], workers }));
      return judge(outcomes);
    } finally {
      events.stop();
      (await started)?.remove();
      await graph.close();
    }
  },
});

interface Drained {
  readonly requests: RequestReport;
  readonly subscribers: ResumingReport;
  readonly exitCode: number | null;
  readonly exitMs: number;
}

function judge(outcomes: readonly Drained[]): ProofOutcome {
  const sum = (count: (outcome: Drained) => number): number =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const failed = sum(({ requests }) => requests.failed);
  const sockets = sum(({ subscribers }) => subscribers.codes.length);
  const closedInOrder = sum(({ subscribers }) => subscribers.codes.filter(isInOrder).length);
  const eventsLost = sum(({ subscribers }) => subscribers.lost);
  const eventsTwice = sum(({ subscribers }) => subscribers.twice);
  const exitMs = Math.max(...outcomes.map((outcome) => outcome.exitMs));
  const [reason] = outcomes.flatMap(({ requests, subscribers }) => [
    ...requests.reasons,
    ...(subscribers.rejection === undefined ? [] : [subscribers.rejection]),
  ]);
  return {
    passed:
      failed === 0 &&
      closedInOrder === sockets &&
      eventsLost + eventsTwice === 0 &&
      exitMs <= EXIT_WITHIN_MS &&
      outcomes.every(({ exitCode }) => exitCode === 0),
    figures: {
      drains: outcomes.length,
      requests: sum(({ requests }) => requests.sent),
      failed,
      shed: sum(({ requests }) => requests.shed),
      sockets,
      closedInOrder,
      events: sum(({ subscribers }) => subscribers.events),
      eventsLost,
      eventsTwice,
      slowestExitMs: Math.round(exitMs),
      exitCodes: [...new Set(outcomes.map(({ exitCode }) => String(exitCode)))].join(' '),
      ...(reason !== undefined && { reason }),
    },
  };
}

/** The close codes that show a client why it ends: disconnecting, and service restart. RFC 6455 §7.4.1, IANA's registry. */
function isInOrder(code: number): boolean {
  return code === 1001 || code === 1012;
}

interface Drain {
  readonly graph: EventGraph;
  readonly events: NumberedEvents;
  /** The gateway that the subscribers go on at. */
  readonly other: Promise<GatewayProcess>;
  readonly workers: number;
  readonly perSecond: number;
  readonly subscriptions: number;
}

async function drainOnce(drain: Drain): Promise<Drained> {
  const { graph, events, other, workers, perSecond, subscriptions } = drain;
  const running = await startGatewayProcess({
    subgraphs: graph.all,
    environment: { WORKERS: String(workers) },
  });
  try {
    const { url: to } = await other;
    const subscribers = await openResumingSubscribers({
      from: running.url,
      to,
      events,
      count: subscriptions,
    });
    const requests = startRequests(running.url, perSecond);
    await sleep(1_500);
    const ended = once(running.process, 'exit');
    const signalledAt = performance.now();
    requests.expectTheEnd();
    running.process.kill('SIGTERM');
    const [exitCode] = (await ended) as [number | null];
    const exitMs = performance.now() - signalledAt;
    const outcome = { requests: await requests.stop(), subscribers: await subscribers.report() };
    subscribers.close();
    return { ...outcome, exitCode, exitMs };
  } finally {
    running.remove();
  }
}

interface RequestReport extends LoadReport {
  /** Those that were sent after the signal and found no one any more. They have not failed. */
  readonly shed: number;
}

interface Requests {
  /** From now on requests may find no one; those that were sent before are still to be answered. */
  expectTheEnd(): void;
  stop(): Promise<RequestReport>;
}

function startRequests(url: string, perSecond: number): Requests {
  const agent = new Agent({ connections: 64 });
  let endsAt = Infinity;
  let shed = 0;
  const load = startLoad({
    perSecond,
    async send(number) {
      const sentAt = performance.now();
      try {
        await ask(url, agent, number);
      } catch (error) {
        if (sentAt < endsAt || error instanceof BadResponse) throw error;
        shed += 1;
      }
    },
  });
  return {
    expectTheEnd: () => void (endsAt = performance.now()),
    async stop() {
      const report = await load.stop();
      await agent.destroy();
      return { ...report, shed };
    },
  };
}

/** A response that was begun, and is not what it should be. */
class BadResponse extends Error {}

/** Half of the requests are on connections of their own, and some have deferred parts. */
async function ask(url: string, agent: Agent, number: number): Promise<void> {
  const deferred = number % 5 === 0;
  const accept = deferred ? 'multipart/mixed;deferSpec=20220824' : 'application/json';
  const response = await request(`${url}/graphql`, {
    method: 'POST',
    dispatcher: agent,
    reset: number % 2 === 0,
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query: deferred ? DEFERRED : USER }),
  });
  const text = await response.body.text().catch((error: unknown) => {
    throw new BadResponse('The response is cut off.', { cause: error });
  });
  const isWhole = deferred
    ? text.includes('"hasNext":false')
    : text === '{"data":{"user":{"name":"User 1"}}}';
  if (response.statusCode === SHED) return; // a machine that is busy beyond measure; it is a response, and in order
  if (!isWhole || response.statusCode !== 200) throw new BadResponse(`${response.statusCode} ${text}`);
}
