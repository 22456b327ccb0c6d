import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  amountsOf,
  DEFAULT_SHARES,
  sharesAround,
  type LevelAmounts,
  type QueueCaller,
  type ShareKeys,
} from '@trellis/runtime/admission';
import {
  testShares,
  testTurns,
  type SharedResource,
  type SharedTurns,
  type SharingCaller,
} from '@trellis/testkit/shares';
import { afterAll, beforeAll, vi } from 'vitest';
import { bookshop } from '../../test-fixtures/graphs/bookshop.ts';
import { composeGraph } from '../../test-fixtures/synthetic/start-graph.ts';
import { createStorageShares } from '../caching/storage-shares.ts';
import { ConcurrencyLimit } from '../concurrency/concurrency-limit.ts';
import { EventStreams } from '../http/event-stream/event-streams.ts';
import { HttpConnections } from '../http/message/http-connections.ts';
import { ANONYMOUS, CallerShares, type Caller } from '../identity/caller.ts';
import { createTokenIntrospection } from '../identity/introspect-token.ts';
import { tokenRulesOf } from '../identity/token-rules.ts';
import { createOperationCache } from '../operation/operation-cache.ts';
import { JobWaiters } from '../planning/threads/job-waiters.ts';
import { JobQueue, type PlannerWork } from '../planning/threads/job-queue.ts';
import { PlanningBudget } from '../planning/threads/planning-budget.ts';
import { DEFAULT_COSTS } from '../settings/cost.ts';
import { fillIn } from '../settings/fill-in.ts';
import { DEFAULT_LIMITS } from '../settings/limits.ts';
import { settingTable } from '../settings/settings.ts';
import { StreamQuota } from '../streams/stream-quota.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import { Admission } from './admission.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { InFlightBytes } from './in-flight-bytes.ts';
import { UnreadResponses } from './unread-responses.ts';
import { ConnectionPlaces } from './connection-places.ts';
import { FairTurns, WaitingLine, type InLine } from './waiting-line.ts';

beforeAll(() => {
  const toFake = ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  vi.useFakeTimers({ toFake: [...toFake] }); // nothing comes back in the meantime
});
afterAll(() => void vi.useRealTimers());

type Most = SharedResource['most'];

const { signal } = new AbortController();
const TOTAL = 100;
/** Of a total of 100, where one caller has half of it. */
const HALF = wholes(amountsOf(TOTAL, sharesAround(1 / 2)));
const OF_TOTAL = wholes(amountsOf(TOTAL, DEFAULT_SHARES.ofTotal));
/** Where one caller has ten. */
const TENS = wholes(amountsOf(10, DEFAULT_SHARES.ofCaller));
const shares = new CallerShares();

function wholes([caller, network = caller, wider = network]: LevelAmounts): Most {
  return [caller, network, wider];
}

function callerOf({ user }: SharingCaller): Caller {
  return user === undefined ? ANONYMOUS : { ...ANONYMOUS, authenticated: true, actor: user };
}

function senderOf(caller: SharingCaller): QueueCaller {
  return shares.of(callerOf(caller), caller.address);
}

function keysOf(caller: SharingCaller): ShareKeys {
  return senderOf(caller).keys;
}

function succeeds(take: () => unknown): boolean {
  try {
    take();
    return true;
  } catch {
    return false;
  }
}

/** Whether it is not rejected at once: what waits is not over for long. */
async function isUnderway(work: Promise<unknown>): Promise<boolean> {
  const rejected = work.then(
    () => false,
    () => true,
  );
  return !(await Promise.race([rejected, nextTurn(false)]));
}

const work = (operation: string): PlannerWork => ({
  supergraph: { hash: 'one', sdl: '' },
  task: { kind: 'job', job: 'plan', hash: 'one', input: { operation, overrideLabels: [] } },
});

function createJobs(): JobQueue {
  return new JobQueue({ maxWaiting: TOTAL, maxServed: () => TOTAL, budget: undefined });
}

const subgraphRules = { requests: TOTAL, queue: TOTAL, perCaller: 1 / 2 };
const byNumber = { maxConnections: TOTAL, maxConnectionsPerAddress: TOTAL / 2 };

function connectionFrom(address: string): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
}

const supergraph = buildSupergraph(
  composeGraph(
    {
      name: 'bookshop',
      subgraphs: Object.entries(bookshop).map(([name, { typeDefs }]) => ({ name, typeDefs })),
    },
    (name) => `http://${name}.test/`,
  ),
);
/** Each of them has a hundredth of the room for documents. */
const LONG_TEXT = `#${'x'.repeat(13_000)}`;

const unread = { totalBytes: TOTAL, perCallerBytes: OF_TOTAL, bytesPerSecond: 1, stalledMs: 1_000 };

testShares([
  {
    name: 'Jobs that wait to be planned',
    most: OF_TOTAL,
    isByUser: true,
    open() {
      const jobs = createJobs();
      return {
        take: (caller) => isUnderway(jobs.add(work('{ a }'), new JobWaiters(signal, senderOf(caller)))),
        close: () => jobs.close(new Error('The test is over.')),
      };
    },
  },
  {
    name: 'Milliseconds of planning',
    most: wholes([11, 41, 161]), // who has a little left may use more than that once
    isByUser: true,
    open() {
      const budget = new PlanningBudget({ callerMs: 100, windowMs: 10_000 });
      return {
        take(caller) {
          const isGiven = budget.waitMs(keysOf(caller)) === 0;
          if (isGiven) budget.charge(keysOf(caller), 10);
          return isGiven;
        },
      };
    },
  },
  {
    name: 'Requests in flight',
    most: HALF,
    isByUser: true,
    open() {
      const rules = { maxRequests: TOTAL, maxDelayMs: 1_000, targetDelayMs: 10, perCaller: 1 / 2 };
      const admission = new Admission(rules);
      return {
        take: (caller) => admission.enter(() => true, keysOf(caller)) === undefined,
        close: () => admission.close(),
      };
    },
  },
  {
    name: 'Subgraph requests',
    most: HALF,
    isByUser: true,
    open() {
      const limit = new ConcurrencyLimit(subgraphRules);
      return { take: (caller) => limit.tryAcquire(senderOf(caller)) };
    },
  },
  {
    name: 'Subgraph requests that wait',
    most: HALF,
    isByUser: true,
    open() {
      const limit = new ConcurrencyLimit(subgraphRules);
      return {
        take: (caller) => isUnderway(limit.acquire(senderOf(caller), signal, 1_000, (why) => new Error(why))),
      };
    },
  },
  {
    name: 'Questions to an issuer about tokens',
    most: HALF,
    isByUser: true,
    open() {
      let asked = 0;
      const introspection = createTokenIntrospection({
        issuer: 'https://issuer.test',
        rules: tokenRulesOf({ audience: 'graph', profile: 'general' }),
        url: () => ((asked += 1), new Promise<string>(() => undefined)), // it never answers
        clientId: 'gateway',
        clientSecret: 'secret',
        cacheMs: 1_000,
        negativeCacheMs: 1_000,
        maxConcurrent: TOTAL,
        leewayS: 0,
      });
      return {
        async take(caller) {
          const before = asked;
          introspection.introspect(`token ${Math.random()}`, senderOf(caller)).catch(() => undefined);
          await nextTurn();
          return asked > before;
        },
      };
    },
  },
  {
    name: 'WebSocket connections',
    most: OF_TOTAL,
    isByUser: true,
    open() {
      const places = new ConnectionPlaces(() => byNumber);
      return { take: (caller) => typeof places.take(keysOf(caller)) !== 'string' };
    },
  },
  {
    name: 'Connections',
    most: OF_TOTAL,
    open() {
      const connections = new HttpConnections({
        rules: () => byNumber,
        isProxy: () => false,
        onRejected: () => undefined,
      });
      return { take: ({ address }) => connections.take(connectionFrom(address)) !== undefined };
    },
  },
  {
    name: 'Streams',
    most: TENS,
    isByUser: true,
    open() {
      const quota = new StreamQuota();
      const settings = fillIn(settingTable, { subscriptions: { maxPerUser: 10 } });
      return {
        take: (caller) =>
          succeeds(() => quota.take('subscription', callerOf(caller), caller.address, settings)),
      };
    },
  },
  {
    name: 'Event streams',
    most: TENS,
    isByUser: true,
    open() {
      const settings = fillIn(settingTable, { subscriptions: { webSocket: { maxConnectionsPerUser: 10 } } });
      const streams = new EventStreams(() => settings);
      return {
        take: (caller) => succeeds(() => streams.reserve(keysOf(caller))),
        close: () => streams.close(),
      };
    },
  },
  {
    name: 'Bytes that clients do not read',
    most: OF_TOTAL,
    isByUser: true,
    open() {
      let cutOff = 0;
      const responses = new UnreadResponses(unread, { onCutOff: () => (cutOff += 1) });
      return {
        take(caller) {
          const before = cutOff;
          const client = { bytesWritten: 1, writableLength: 1, destroyed: false, destroy: () => undefined };
          responses
            .watch(
              client,
              () => keysOf(caller),
              () => 1,
            )
            .update();
          return cutOff === before;
        },
        close: () => responses.close(),
      };
    },
  },
  {
    name: 'Bytes that were not answered',
    most: OF_TOTAL,
    isByUser: true,
    open() {
      const bytes = new InFlightBytes({
        totalBytes: TOTAL * 10_000,
        perCallerBytes: tenThousands(OF_TOTAL),
      });
      return { take: (caller) => bytes.open(() => keysOf(caller)).hold(10_000) === undefined };
    },
  },
  {
    name: 'Documents that are remembered',
    most: OF_TOTAL,
    open() {
      const operationCache = createOperationCache(supergraph, {
        limits: DEFAULT_LIMITS,
        costs: DEFAULT_COSTS,
        policies: {},
        introspection: true,
      });
      const send = (text: string, address: string): unknown =>
        [1, 2, 3].map(() => operationCache.document(text, address)).at(-1); // what comes again stays
      for (let other = 0; other < TOTAL; other += 1)
        send(`query Other${other} { __typename } ${LONG_TEXT}`, `192.0.${other}.1`);
      const texts: string[] = [];
      return {
        take({ address }) {
          const text = `query Q${texts.length} { __typename } ${LONG_TEXT}`;
          texts.push(text);
          send(text, address);
          return operationCache.known(text) !== undefined;
        },
        held: () => texts.filter((text) => operationCache.known(text)).length,
      };
    },
  },
  ...(['texts', 'responses'] as const).map((kind): SharedResource => ({
    name: { texts: 'Persisted queries', responses: 'Stored responses' }[kind],
    most: TENS,
    isByUser: true,
    open() {
      const settings = fillIn(settingTable, {
        persistedQueries: { perCallerHour: 100_000 },
        responseCache: { perCallerMinute: 100_000 },
      });
      const stored = createStorageShares(settings)[kind];
      return { take: (caller) => stored.take(keysOf(caller), 10_000) === 0 };
    },
  })),
  {
    name: 'Operations at a rate',
    most: TENS,
    open() {
      const { rateLimits } = fillIn(settingTable, {
        rateLimits: { perAddress: { operations: 10, windowS: 60 } },
      });
      if (!rateLimits) throw new Error('There are rates.');
      const limiter = createRateLimiter(rateLimits, undefined);
      return {
        take: async ({ address }) =>
          (await limiter.countAddress(address, 1)?.then(
            () => true,
            () => false,
          )) ?? true,
      };
    },
  },
]);

function tenThousands([caller, network, wider]: Most): Most {
  return [caller * 10_000, network * 10_000, wider * 10_000];
}

interface Waiting extends InLine {
  readonly who: SharingCaller;
}

testTurns([
  {
    name: 'Turns on a busy process',
    isByUser: true,
    open() {
      const line = new WaitingLine<Waiting>();
      return {
        wait: (who) => line.add({ who, caller: senderOf(who) }),
        serve: (count) =>
          Array.from({ length: count }, () => line.next()?.who).filter((who) => who !== undefined),
      };
    },
  },
  {
    name: 'Turns at new texts',
    isByUser: true,
    open() {
      const turns = new FairTurns({ turnMs: 1, turnsBetween: 16 });
      const served: SharingCaller[] = [];
      const over = new AbortController();
      return {
        wait(who) {
          const text = (): unknown => (served.push(who), vi.advanceTimersByTime(1));
          void Promise.resolve(turns.run(senderOf(who), over.signal, text)).catch(() => undefined);
        },
        async serve(count) {
          while (served.length < count) await nextTurn();
          return served.slice(0, count);
        },
        close: () => over.abort(),
      };
    },
  },
  {
    name: 'Turns at the planner',
    isByUser: true,
    open() {
      const jobs = new JobQueue({ maxWaiting: 10_000, maxServed: () => 10_000, budget: undefined });
      const ofOperation: SharingCaller[] = [];
      return {
        wait(who) {
          const operation = String(ofOperation.push(who) - 1);
          jobs.add(work(operation), new JobWaiters(signal, senderOf(who))).catch(() => undefined);
        },
        async serve(count) {
          const served: SharingCaller[] = [];
          for (let turn = 0; turn < count; turn += 1)
            await jobs.take()?.(async ({ task }) => {
              const who = task.job === 'plan' ? ofOperation[Number(task.input.operation)] : undefined;
              if (who) served.push(who);
              return { result: '', durationMs: 10 };
            });
          return served;
        },
        close: () => jobs.close(new Error('The test is over.')),
      };
    },
  },
  {
    name: 'Turns at a subgraph',
    isByUser: true,
    open() {
      const limit = new ConcurrencyLimit({ requests: 1, queue: 10_000, perCaller: 1 });
      const served: SharingCaller[] = [];
      const first: QueueCaller = { keys: ['first'], isKnown: true };
      limit.tryAcquire(first);
      return {
        wait(who) {
          const call = limit.acquire(senderOf(who), signal, 1_000, (why) => new Error(why));
          void call.then((slot) => {
            served.push(who);
            limit.release(senderOf(who), 10, slot);
          });
        },
        async serve(count) {
          limit.release(first, 10);
          while (served.length < count) await nextTurn();
          return served.slice(0, count);
        },
      };
    },
  },
] satisfies readonly SharedTurns[]);
