import { readdirSync, readFileSync } from 'node:fs';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { bookshop } from '../../../test-fixtures/graphs/bookshop.ts';
import { composeGraph } from '../../../test-fixtures/synthetic/start-graph.ts';
import { JobWaiters, type PlannerCaller } from './job-waiters.ts';
import { startFirstPlanner, WorkerThread } from './worker-thread.ts';
import {
  createPlannerPool,
  defaultQueryPlannerWorkers,
  type PlannerPool,
  type PlannerPoolOptions,
} from './planner-pool.ts';

/** More than the thread can plan within the deadline that tests set, several times. */
const BOMB = fragmentBomb(12);
const DEADLINE_MS = 400;

let sdl: string;
let pool: PlannerPool;
let replacements: Error[];

beforeAll(() => {
  const subgraphs = Object.entries(bookshop).map(([name, { typeDefs }]) => ({ name, typeDefs }));
  sdl = composeGraph({ name: 'bookshop', subgraphs }, (name) => `http://${name}.test/`);
});
afterEach(() => pool.close());

function start(options: PlannerPoolOptions = {}): void {
  replacements = [];
  pool = createPlannerPool({ onReplaced: (reason) => replacements.push(reason), ...options });
}

/** Gives the planner more than one thread can do, on a machine of any speed, until the assertion holds. */
async function busyUntil(assertion: () => void): Promise<void> {
  const seen = new AbortController();
  const busy = Array.from({ length: 6 }, async (_, index) => {
    while (!seen.signal.aborted) await plan(fragmentBomb(5), new AbortController().signal, user(`${index}`));
  });
  await vi.waitFor(assertion, { timeout: 90_000, interval: 20 }).finally(() => seen.abort());
  await Promise.all(busy);
}

function fragmentBomb(levels: number): string {
  const fragments = Array.from(
    { length: levels },
    (_, level) =>
      `fragment F${level} on Book { a${level}: related { ...F${level + 1} } b${level}: related { ...F${level + 1} } }`,
  );
  return `{ books { ...F0 } } ${fragments.join(' ')} fragment F${levels} on Book { title label box }`;
}

/** By the system's number of each thread of this process. */
function nicenessOfThreads(): ReadonlyMap<number, number> {
  return new Map(
    readdirSync('/proc/self/task').map((id) => {
      const [, afterName = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(/\) (?=[^)]*$)/);
      return [Number(id), Number(afterName.split(' ')[16])];
    }),
  );
}

const graph = (hash = 'one'): { hash: string; sdl: string } => ({ hash, sdl });
const plan = (operation: string, signal = new AbortController().signal, caller?: PlannerCaller) =>
  pool.plan(graph(), operation, [], new JobWaiters(signal, caller));
const user = (name: string): PlannerCaller => ({ keys: [`user:${name}`], isKnown: true });

// deadlines are of processor time: beside other work of the machine, reaching them takes longer
describe('Query planner workers', () => {
  it('answers with plans as plain data, for every supergraph it knows', async () => {
    start();
    await pool.load(graph());
    const { node } = await plan('{ books { title count } }');
    expect(node).toMatchObject({ kind: 'Sequence', nodes: [{ serviceName: 'books' }, { kind: 'Flatten' }] });
    expect(JSON.parse(JSON.stringify(node))).toEqual(node);
  });

  it('begin with the thread that was started ahead of them, and end it where another kind is wanted', async () => {
    const first = startFirstPlanner();
    const taken = await WorkerThread.start(0);
    expect(taken).toBe(await first);
    const unwanted = startFirstPlanner();
    const nicer = await WorkerThread.start(1);
    expect(nicer).not.toBe(await unwanted);
    await vi.waitFor(async () => expect((await unwanted).isAlive).toBe(false));
    await Promise.all([taken.close(), nicer.close()]);
  });

  it('reports what it can not plan, and goes on', async () => {
    start();
    await expect(plan('{ nothing }')).rejects.toThrow(/nothing/);
    await expect(
      pool.load({
        hash: 'broken',
        sdl: print(gql`
          type Query {
            a: Int
          }
        `),
      }),
    ).rejects.toThrow();
    expect(await plan('{ maybe { pages } }')).toMatchObject({ node: { serviceName: 'books' } });
    expect(replacements).toEqual([]);
  });

  it('S-036 is killed when a plan takes too long, and the next one works', async () => {
    start({ deadlineMs: () => DEADLINE_MS });
    await pool.load(graph());
    const waiting = [plan(BOMB), plan('{ maybe { pages } }')];
    await expect(waiting[0]).rejects.toMatchObject({ limit: 'planningMs', maximum: DEADLINE_MS });
    expect(await waiting[1]).toMatchObject({ node: { serviceName: 'books' } });
    expect(replacements).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux')(
    'G3: beyond the first come behind the event loop for a processor',
    async () => {
      const before = nicenessOfThreads();
      const usual = before.get(process.pid) ?? 0;
      const otherThanUsual = (): number[] =>
        [...nicenessOfThreads()].flatMap(([id, niceness]) =>
          niceness === (before.get(id) ?? usual) ? [] : [niceness],
        );
      start({ threads: () => 2, deadlineMs: () => 90_000 });
      await pool.load(graph());
      expect(otherThanUsual()).toEqual([]);
      await busyUntil(() => expect(otherThanUsual()).toEqual([usual + 5]));
    },
  );

  it('leaves the event loop free while it works', async () => {
    start({ deadlineMs: () => DEADLINE_MS });
    await pool.load(graph());
    let turns = 0;
    const clock = setInterval(() => (turns += 1), 10);
    await expect(plan(BOMB)).rejects.toThrow('planningMs');
    clearInterval(clock);
    expect(turns).toBeGreaterThan(DEADLINE_MS / 10 / 4);
  });

  it('lets a bounded number wait', async () => {
    start({ maxWaiting: 2 });
    const settled = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) =>
        plan(`{ a${index}: maybe { pages } }`, new AbortController().signal, user(`${index}`)),
      ),
    );
    const rejections = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    expect(rejections.map(({ name }) => name)).toEqual([
      'PlannerQueueFull',
      'PlannerQueueFull',
      'PlannerQueueFull',
    ]);
  });

  it('does not begin what no one waits for any more', async () => {
    start({ deadlineMs: () => DEADLINE_MS });
    const leaving = new AbortController();
    const first = plan('{ maybe { pages } }');
    const left = plan(BOMB, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await first;
    expect(await plan('{ a: maybe { pages } }')).toMatchObject({ node: { serviceName: 'books' } });
    expect(replacements).toEqual([]);
  });

  it('forgets a supergraph when the last holder lets it go, and loads it again for a late one', async () => {
    start();
    await pool.load(graph());
    await pool.load(graph());
    pool.unload(graph());
    pool.unload(graph());
    expect(await plan('{ maybe { pages } }')).toMatchObject({ node: { serviceName: 'books' } });
  });

  it('G3: a caller does not hold up all of them, whatever its plans take', async () => {
    start({ deadlineMs: () => 90_000, threads: () => 2 });
    await pool.load(graph());
    const leaving = new AbortController();
    const order: string[] = [];
    const heavy = Array.from({ length: 4 }, (_, index) =>
      plan(fragmentBomb(6).replace('title', `t${index}: title`), leaving.signal, user('heavy'))
        .then(() => order.push('heavy'))
        .catch(() => undefined),
    );
    const light = Array.from({ length: 5 }, (_, index) =>
      plan(`{ a${index}: maybe { pages } }`, leaving.signal, user(`light ${index}`)).then(() =>
        order.push('light'),
      ),
    );
    await Promise.all(light);
    expect(order.filter((name) => name === 'heavy').length).toBeLessThanOrEqual(1);
    leaving.abort(new Error('left'));
    await Promise.all(heavy);
  });

  it('are as many as the processors allow, two at least and four at most', () => {
    expect([1, 2, 4, 5, 64].map(defaultQueryPlannerWorkers)).toEqual([2, 2, 3, 4, 4]);
  });

  it('end when the others have time for their work, though there is always something to do', async () => {
    start({ threads: () => 2, idleMs: 1_000, deadlineMs: () => 90_000 });
    await pool.load(graph());
    const signal = new AbortController().signal;
    await busyUntil(() => expect(pool.threads).toBe(2));
    const trickle = setInterval(() => {
      for (const name of ['a', 'b']) plan('{ maybe { pages } }', signal, user(name)).catch(() => undefined);
    }, 100);
    try {
      await vi.waitFor(() => expect(pool.threads).toBe(1), { timeout: 90_000, interval: 20 });
    } finally {
      clearInterval(trickle);
    }
  });

  it('end when there is nothing to do for them, but for one', async () => {
    start({ threads: () => 3, idleMs: 20, deadlineMs: () => 90_000 });
    await pool.load(graph());
    const work = (): Promise<unknown> =>
      Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          plan(fragmentBomb(5), new AbortController().signal, user(`${index}`)),
        ),
      );
    await work();
    await vi.waitFor(() => expect(pool.threads).toBe(1), { timeout: 90_000, interval: 20 });
    expect(await plan('{ maybe { pages } }')).toMatchObject({ node: { serviceName: 'books' } });
    await work();
  });

  it('rejects what waits when it is closed, and what comes later', async () => {
    start();
    const waiting = plan('{ maybe { pages } }');
    const [first] = await Promise.allSettled([waiting, pool.close()]);
    expect(first.status).toBe('rejected');
    await expect(plan('{ maybe { pages } }')).rejects.toThrow('Planning has ended.');
  });
});
