import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { shareKeysOf, type ShareKeys } from '@trellis/runtime/admission';
import type { LoadResources } from '../../app/open-load.ts';
import { outcomeOf, rowsBelow, twoAtOnce, type LiveRow, type LiveRows } from './live-row.ts';
import type { ReloadWorld } from './reload-world.ts';

/** What speaks against one more request while operations have waited for 20 ms, and one of the caller is in flight. */
const whileOthersWait =
  (keys?: ShareKeys): LiveRow['see'] =>
  async ({ inside }) => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const seen = await askWhileOthersWait(inside().resources, keys);
      if (seen !== undefined) return seen.reason;
    }
    throw new Error('The gate has let all begin: other processes took the processor while it looked.');
  };

/** Where the machine is busy, the process looks idle now and then, and then none has to wait. */
const MAX_ATTEMPTS = 20;
const [LEAST_WAITING, MAX_RUNNING] = [4, 200];

/** @returns nothing where none waited any more */
async function askWhileOthersWait(
  { admission, executionGate }: Pick<LoadResources, 'admission' | 'executionGate'>,
  keys: ShareKeys | undefined,
): Promise<{ readonly reason: unknown } | undefined> {
  const { signal, ...ending } = createEnding();
  const ends: (() => void)[] = [];
  const operation = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
  const running: Promise<void>[] = [];
  while (executionGate.waiting < LEAST_WAITING && running.length < MAX_RUNNING)
    running.push(executionGate.run(operation, signal).catch(() => undefined));
  admission.enter(() => true, keys);
  for (let ended = 0; ended < 2; ended += 1) {
    keepBusy(20);
    ends.shift()?.(); // from how far apart two end it is known how long others will wait
    await nextTurn();
  }
  keepBusy(20);
  const stillWait = executionGate.waiting > 0;
  const reason = admission.enter(() => true, keys);
  if (reason === undefined) admission.leave(keys);
  admission.leave(keys);
  ending.end();
  while (ends.length > 0) {
    ends.shift()?.();
    await nextTurn();
  }
  await Promise.all(running);
  return stillWait ? { reason } : undefined;
}

function createEnding(): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, end: () => controller.abort(new Error('The test has ended it.')) };
}

function keepBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const NEAR = '203.0.113.7';
const FAR = '2001:db8::7';

/** A client that takes so many bytes in a second; @returns whether it was cut off within 200 ms */
async function isCutOff({ inside }: ReloadWorld, bytesPerSecond: number): Promise<boolean> {
  const since = performance.now();
  const reader = {
    get bytesWritten(): number {
      return ((performance.now() - since) * bytesPerSecond) / 1_000;
    },
    writableLength: 0,
    destroyed: false,
    destroy: () => void (reader.destroyed = true),
  };
  const waiting = inside().resources.unread.watch(
    reader,
    () => shareKeysOf({ address: NEAR }),
    () => 1_000,
  );
  waiting.update();
  await pause(200);
  waiting.end();
  return reader.destroyed;
}

/** How many of two clients are cut off, of whom each leaves 1,000 bytes unread. */
const twoUnread =
  (...addresses: readonly string[]): LiveRow['see'] =>
  async ({ inside }) => {
    const readers = addresses.map((address) => {
      const reader = {
        bytesWritten: 0,
        writableLength: 0,
        destroyed: false,
        destroy: () => void (reader.destroyed = true),
      };
      const waiting = inside().resources.unread.watch(
        reader,
        () => shareKeysOf({ address }),
        () => 1_000,
      );
      waiting.update();
      return { reader, waiting };
    });
    for (const { waiting } of readers) waiting.end();
    return readers.filter(({ reader }) => reader.destroyed).length;
  };

const largeBody: LiveRow['see'] = async ({ inside }) => {
  const held = inside().resources.inFlight.open(() => shareKeysOf({ address: NEAR }));
  const rejection = held.hold(20_000);
  held.release();
  return rejection;
};

/** A thousand fields of two subgraphs take the planner long. */
const LARGE = `{ ${Array.from({ length: 100 }, (_, index) => `a${index}: things { id note slowNote }`).join(' ')} }`;
const LARGE_IS_ALLOWED = {
  limits: { aliases: 9_999, rootFields: 9_999, cost: 9_999_999, subgraphRequests: 9_999 },
};

const newOperations: LiveRow['see'] = async ({ gateway, next }) => {
  const outcomes: string[] = [];
  for (let count = 0; count < 4; count += 1)
    outcomes.push(outcomeOf(await gateway.post({ query: `{ a${next()}: open thing { note } }` })));
  return outcomes;
};

/** Whether a caller waits for minutes who has had 11 ms where it has 1 ms a window: 10 windows of an hour, or of a second. */
const plannerWait: LiveRow['see'] = ({ inside, next }) => {
  const { planningBudget } = inside().resources;
  const keys = shareKeysOf({ address: `198.18.${next() % 256}.${next() % 256}` }); // which has had nothing before
  planningBudget?.charge(keys, 11);
  return Promise.resolve(Number(planningBudget?.waitMs(keys)) > 200_000);
};

/** In which there would be another query planner worker, were it allowed. */
const GROWN_AFTER_MS = 500;
const SETTLED_WITHIN_MS = 90_000;

/** How many threads there are after planning for several callers at once: however long one takes to start, or to end. */
const queryPlannerWorkers: LiveRow['see'] = async ({ inside, gateway, next }, settings) => {
  const { plannerPool } = inside().resources;
  const { planning } = settings as { readonly planning: { readonly threads: number } }; // as the row has it
  const startedAt = performance.now();
  const isOver = (): boolean => {
    const elapsedMs = performance.now() - startedAt;
    return elapsedMs > (plannerPool.threads === planning.threads ? GROWN_AFTER_MS : SETTLED_WITHIN_MS);
  };
  const busy = Array.from({ length: 6 }, async (_, caller) => {
    while (!isOver()) {
      const query = LARGE.replace('{', `{ b${next()}: open`);
      await gateway.post({ query }, { 'x-forwarded-for': `198.51.${100 + caller}.7` });
    }
  });
  await Promise.all(busy);
  return plannerPool.threads;
};

const SOME_OPERATIONS: LiveRow['see'] = async ({ ask, issuer, redis }) => {
  await forgetRates(redis);
  const headers = {
    authorization: `Bearer ${await issuer.sign({ aud: 'graph' })}`,
    'apollographql-client-name': 'console',
  };
  const outcomes: string[] = [];
  for (let count = 0; count < 3; count += 1)
    outcomes.push(outcomeOf(await ask('{ things { id } }', headers)));
  return outcomes;
};

/** Gateways count together: what one has counted outlives its configuration. */
async function forgetRates(redis: ReloadWorld['redis']): Promise<void> {
  const keys = await redis.keys('rate:*');
  if (keys.length > 0) await redis.del(...keys);
}

const retryAfter: LiveRow['see'] = async ({ ask, issuer }) => {
  const headers = {
    authorization: `Bearer ${await issuer.sign({ aud: 'graph' })}`,
    'apollographql-client-name': 'console',
  };
  await ask('{ open }', headers);
  const { body } = await ask('{ open }', headers);
  return Number(body.errors?.[0]?.extensions['retryAfterS']) > 100;
};

function rateRows({ issuer }: ReloadWorld): LiveRows {
  const first = { issuer: issuer.issuer, audience: 'graph', jwksUrl: issuer.jwksUrl };
  const authentication = { issuers: [first] };
  const rows = (place: (rate: object) => object): LiveRows => ({
    operations: {
      beside: { authentication, rateLimits: place({ windowS: 600 }) },
      name: 'console',
      from: 1,
      to: 100,
      see: SOME_OPERATIONS,
    },
    windowS: {
      beside: { authentication, rateLimits: place({ operations: 1 }) },
      name: 'console',
      from: 600,
      to: 10,
      see: retryAfter,
    },
  });
  return {
    ...rowsBelow(
      'rateLimits.perAddress',
      rows((rate) => ({ perAddress: rate })),
    ),
    ...rowsBelow(
      'rateLimits.perUser',
      rows((rate) => ({ perUser: rate })),
    ),
    ...rowsBelow(
      'rateLimits.perClient',
      rows((rate) => ({ perClient: rate })),
    ),
    ...rowsBelow(
      'rateLimits.clientNames.<name>',
      rows((rate) => ({ clientNames: { console: rate } })),
    ),
    'rateLimits.objectsPerOperation': {
      beside: { rateLimits: { perAddress: { operations: 4, windowS: 600 } } },
      to: 1,
      see: SOME_OPERATIONS,
    },
  };
}

/** How much is let in, is planned, and may wait for its readers. */
export function loadRows(world: ReloadWorld): LiveRows {
  return {
    'admission.maxRequests': { to: 1, see: twoAtOnce },
    'admission.perCaller': { beside: { admission: { maxRequests: 10 } }, from: 0.1, to: 1, see: twoAtOnce },
    'admission.maxDelayMs': { to: 5, see: whileOthersWait() },
    'admission.targetDelayMs': {
      beside: { admission: { maxDelayMs: 5 } },
      from: 1,
      to: 10_000,
      see: whileOthersWait(shareKeysOf({ address: NEAR })),
    },
    'http.inFlight.bytes': { to: 6_000, see: largeBody },
    'http.inFlight.callerBytes': { to: 6_000, see: largeBody },
    'http.unread.bytes': {
      beside: { http: { unread: { callerBytes: 9_000 } } },
      to: 1_500,
      see: twoUnread(NEAR, FAR),
    },
    'http.unread.callerBytes': { to: 1_500, see: twoUnread(NEAR, NEAR) },
    'http.unread.bytesPerSecond': {
      beside: { timeouts: { stalledMs: 40 } },
      from: 1,
      to: 10_000_000,
      see: (world) => isCutOff(world, 10_000),
    },
    'timeouts.stalledMs': { to: 40, see: (world) => isCutOff(world, 0) },
    'timeouts.planningMs': {
      beside: LARGE_IS_ALLOWED,
      to: 1,
      see: async ({ ask }) => outcomeOf(await ask(LARGE)),
    },
    'planning.threads': {
      beside: { ...LARGE_IS_ALLOWED, http: { trustProxy: true } },
      from: 1,
      to: 2,
      see: queryPlannerWorkers,
    },
    'planning.callerMs': { to: 1, see: newOperations },
    'planning.windowS': { beside: { planning: { callerMs: 1 } }, from: 3_600, to: 1, see: plannerWait },
    ...rateRows(world),
  };
}
