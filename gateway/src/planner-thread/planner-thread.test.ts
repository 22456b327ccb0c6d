import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bookshop } from '../../test-fixtures/graphs/bookshop.ts';
import { composeGraph } from '../../test-fixtures/synthetic/start-graph.ts';
import { createPlannerThread, type PlannerThreadOptions, type QueryPlanSource } from './planner-thread.ts';

/** More than the thread can plan within the deadline that tests set, several times. */
const BOMB = fragmentBomb(12);
const DEADLINE_MS = 1_000;

let sdl: string;
let thread: QueryPlanSource;
let replacements: Error[];

beforeAll(() => {
  const subgraphs = Object.entries(bookshop).map(([name, definition]) => ({ name, sdl: definition.sdl }));
  sdl = composeGraph({ name: 'bookshop', subgraphs }, (name) => `http://${name}.test/`);
});
afterEach(() => thread.close());

function start(options: PlannerThreadOptions = {}): void {
  replacements = [];
  thread = createPlannerThread({ onReplaced: (reason) => replacements.push(reason), ...options });
}

function fragmentBomb(levels: number): string {
  const fragments = Array.from(
    { length: levels },
    (_, level) =>
      `fragment F${level} on Book { a${level}: related { ...F${level + 1} } b${level}: related { ...F${level + 1} } }`,
  );
  return `{ books { ...F0 } } ${fragments.join(' ')} fragment F${levels} on Book { title label box }`;
}

const graph = (hash = 'one'): { hash: string; sdl: string } => ({ hash, sdl });
const plan = (operation: string, signal = new AbortController().signal) =>
  thread.plan(graph(), operation, [], signal);

describe('The thread that plans', () => {
  it('answers with plans as plain data, for every supergraph it knows', async () => {
    start();
    await thread.load(graph());
    const { node } = await plan('{ books { title count } }');
    expect(node).toMatchObject({ kind: 'Sequence', nodes: [{ serviceName: 'books' }, { kind: 'Flatten' }] });
    expect(JSON.parse(JSON.stringify(node))).toEqual(node);
  });

  it('tells what it can not plan, and goes on', async () => {
    start();
    await expect(plan('{ nothing }')).rejects.toThrow(/nothing/);
    await expect(thread.load({ hash: 'broken', sdl: 'type Query { a: Int }' })).rejects.toThrow();
    expect(await plan('{ maybe { pages } }')).toMatchObject({ node: { serviceName: 'books' } });
    expect(replacements).toEqual([]);
  });

  it('S-036 is killed when a plan takes too long, and the next one works', async () => {
    start({ deadlineMs: DEADLINE_MS });
    await thread.load(graph());
    const waiting = [plan(BOMB), plan('{ maybe { pages } }')];
    await expect(waiting[0]).rejects.toMatchObject({ limit: 'planningMs', maximum: DEADLINE_MS });
    expect(await waiting[1]).toMatchObject({ node: { serviceName: 'books' } });
    expect(replacements).toHaveLength(1);
  });

  it('leaves the event loop free while it works', async () => {
    start({ deadlineMs: DEADLINE_MS });
    await thread.load(graph());
    let turns = 0;
    const clock = setInterval(() => (turns += 1), 10);
    await expect(plan(BOMB)).rejects.toThrow('planningMs');
    clearInterval(clock);
    expect(turns).toBeGreaterThan(DEADLINE_MS / 10 / 4);
  });

  it('lets a bounded number wait', async () => {
    start({ maxWaiting: 2 });
    const settled = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => plan(`{ a${index}: maybe { pages } }`)),
    );
    const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    expect(refusals.map(({ name }) => name)).toEqual([
      'PlannerQueueFull',
      'PlannerQueueFull',
      'PlannerQueueFull',
    ]);
  });

  it('does not begin what nobody waits for any more', async () => {
    start({ deadlineMs: DEADLINE_MS });
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
    await thread.load(graph());
    await thread.load(graph());
    thread.unload(graph());
    thread.unload(graph());
    expect(await plan('{ maybe { pages } }')).toMatchObject({ node: { serviceName: 'books' } });
  });

  it('rejects what waits when it is closed, and what comes later', async () => {
    start();
    const waiting = plan('{ maybe { pages } }');
    const [first] = await Promise.allSettled([waiting, thread.close()]);
    expect(first.status).toBe('rejected');
    await expect(plan('{ maybe { pages } }')).rejects.toThrow('Planning has ended.');
  });
});
