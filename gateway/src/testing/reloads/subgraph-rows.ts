import { setTimeout as pause } from 'node:timers/promises';
import type { SubgraphServer } from '../subgraph-server.ts';
import { outcomeOf, rowsBelow, twoAtOnce, type LiveRow, type LiveRows } from './live-row.ts';
import { SLOW_MS } from './reload-graph.ts';
import type { ReloadWorld } from './reload-world.ts';

const SLOW: LiveRow['see'] = async ({ ask }) => outcomeOf(await ask('{ slow }'));

/** How many requests a subgraph gets for some operations, one after the other. */
async function requestsFor({ ask, graph: { desk } }: ReloadWorld, ...queries: string[]): Promise<number> {
  desk.forget();
  for (const query of queries) await ask(query);
  return desk.received.length;
}

/** After operations that fail and one that does not, whether the circuit breaker is open; and again after a pause. */
const afterFailures =
  (pauseMs: number, ...queries: string[]): LiveRow['see'] =>
  async ({ ask }) => {
    for (;;) {
      const startedAtMs = performance.now();
      for (const query of queries) await ask(query);
      await pause(pauseMs);
      const outcome = outcomeOf(await ask('{ open }'));
      if (performance.now() - startedAtMs < TRIED_AGAIN_AFTER_MS) return outcome;
    }
  };

/** What failed at once is tried again then, whatever sleepMs is: what a busy machine has seen later says nothing. */
const TRIED_AGAIN_AFTER_MS = 500;

const NO_RETRIES = { retries: false };
const TWO_FAILURES = ['{ flaky(id: 1) }', '{ flaky(id: 2) }'] as const;

/** Of requests to subgraphs, with what stands beside each. */
const requests = (place: (settings: object) => object): LiveRows => ({
  timeoutMs: { from: 5_000, to: SLOW_MS / 4, see: SLOW },
  responseBytes: { to: 2_000, see: async ({ ask }) => outcomeOf(await ask('{ long }')) },
  'retries.reserve': { from: 0, to: 3, see: (world) => requestsFor(world, '{ flaky }') },
  'retries.perRequest': {
    beside: place({ retries: { reserve: 1 } }),
    from: 0,
    to: 1,
    see: (world) => requestsFor(world, ...TWO_FAILURES),
  },
  'breaker.failureShare': {
    beside: place({ ...NO_RETRIES, breaker: { minRequests: 2, sleepMs: 60_000 } }),
    from: 0.1,
    to: 1,
    see: afterFailures(0, '{ open }', '{ flaky }'),
  },
  'breaker.minRequests': {
    beside: place({ ...NO_RETRIES, breaker: { sleepMs: 60_000 } }),
    from: 2,
    to: 50,
    see: afterFailures(0, ...TWO_FAILURES),
  },
  'breaker.windowMs': {
    beside: place({ ...NO_RETRIES, breaker: { minRequests: 2, sleepMs: 60_000 } }),
    from: 10_000,
    to: 1,
    see: afterFailures(0, ...TWO_FAILURES),
  },
  'breaker.sleepMs': {
    beside: place({ ...NO_RETRIES, breaker: { minRequests: 2 } }),
    from: 60_000,
    to: 1,
    see: afterFailures(20, ...TWO_FAILURES),
  },
  'concurrency.requests': {
    beside: place({ concurrency: { queue: 0, perCaller: 1 } }),
    from: 1,
    to: 5,
    see: twoAtOnce,
  },
  'concurrency.queue': {
    beside: place({ concurrency: { requests: 1, perCaller: 1 } }),
    from: 0,
    to: 5,
    see: twoAtOnce,
  },
  'concurrency.perCaller': {
    beside: place({ concurrency: { requests: 4, queue: 0 } }),
    from: 0.25,
    to: 1,
    see: twoAtOnce,
  },
  'hedging.afterMs': { to: SLOW_MS / 4, see: (world) => requestsFor(world, '{ slow }') },
});

const sentHeader = (name: string, from: (world: ReloadWorld) => SubgraphServer): LiveRow['see'] => {
  return async (world) => {
    const subgraph = from(world);
    subgraph.forget();
    await world.ask(subgraph.name === 'desk' ? '{ open }' : '{ moved }', { 'x-tenant': 'of the client' });
    return subgraph.received[0]?.headers[name];
  };
};

const TENANT = sentHeader('x-tenant', ({ graph }) => graph.desk);

const fromSubgraph: LiveRow['see'] = async ({ ask }) => (await ask('{ open }')).headers.get('x-desk');

const headerRules: LiveRows = {
  response: { to: { 'x-desk': 'last' }, see: fromSubgraph },
  forward: { to: ['x-tenant'], see: TENANT },
  set: { to: { 'x-tenant': 'of the operator' }, see: TENANT },
  remove: { beside: { headers: { forward: ['x-tenant'] } }, to: ['x-tenant'], see: TENANT },
};

const FAILURE: LiveRow['see'] = async ({ ask }) => (await ask('{ fail }')).body.errors;

const errorRules = (place: (settings: object) => object): LiveRows => ({
  messages: { from: 'all', to: 'none', see: FAILURE },
  extensions: { to: ['code', 'hint'], see: FAILURE },
  redactedMessage: { beside: place({ messages: 'none' }), to: 'Call the desk.', see: FAILURE },
});

/** How subgraphs are asked, and what clients see of their errors: of all, and of one. */
export const subgraphRows: LiveRows = {
  ...rowsBelow(
    'traffic',
    requests((settings) => ({ traffic: settings })),
  ),
  ...rowsBelow(
    'traffic.subgraphs.<name>',
    requests((desk) => ({ traffic: { subgraphs: { desk } } })),
  ),
  ...rowsBelow('headers', headerRules),
  'headers.responseBytes': {
    beside: { headers: { response: { 'x-desk': 'last' } } },
    to: 1,
    see: fromSubgraph,
  },
  ...rowsBelow('headers.subgraphs.<name>', headerRules),
  ...rowsBelow(
    'subgraphErrors',
    errorRules((settings) => ({ subgraphErrors: settings })),
  ),
  ...rowsBelow(
    'subgraphErrors.subgraphs.<name>',
    errorRules((desk) => ({ subgraphErrors: { subgraphs: { desk } } })),
  ),
  overridePercents: {
    from: { beta: 0 },
    to: { beta: 100 },
    see: async ({ ask }) => (await ask('{ moved }')).body.data,
  },
  'timeouts.subgraphMs': { to: SLOW_MS / 4, see: SLOW },
};
