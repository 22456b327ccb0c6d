import { createRandom } from '@trellis/demo-data';
import { describe, expect, it } from 'vitest';
import { FairQueue, type QueueCaller, type QueuePlace, type ServedItem } from './fair-queue.ts';
import { shareKeysOf } from './share-keys.ts';

const user = (name: string): QueueCaller => ({ keys: [`user:${name}`], isKnown: true });
const network = (address: string): QueueCaller => ({ keys: shareKeysOf({ address }), isKnown: false });

function createQueue(
  options: Partial<ConstructorParameters<typeof FairQueue<string>>[0]> = {},
): FairQueue<string> & { readonly displaced: string[] } {
  const displaced: string[] = [];
  const onDisplaced = (item: string): void => void displaced.push(item);
  const bounds = { maxWaiting: 10_000, maxWaitingPerKey: [10_000], onDisplaced } as const;
  return Object.assign(new FairQueue<string>({ ...bounds, ...options }), { displaced });
}

/** Serves one item after the other. @returns what each caller was given */
function serve(
  queue: FairQueue<string>,
  costOf: (item: string) => number,
  budget: number,
): Map<string, number> {
  const given = new Map<string, number>();
  let spent = 0;
  for (let served = queue.next(); served && spent < budget; served = queue.next()) {
    const cost = costOf(served.item);
    spent += cost;
    given.set(served.item, (given.get(served.item) ?? 0) + cost);
    served.done(cost);
  }
  return given;
}

describe('A fair queue', () => {
  it('serves one caller in the order of arrival', () => {
    const queue = createQueue();
    for (const item of ['a', 'b', 'c']) queue.add(item, user('ada'));
    expect([queue.next()?.item, queue.next()?.item, queue.next()?.item]).toEqual(['a', 'b', 'c']);
    expect(queue.next()).toBeUndefined();
    expect(queue.served).toBe(3);
  });

  it('serves who comes new ahead of all that a heavy caller has waiting', () => {
    const queue = createQueue();
    for (let item = 0; item < 100; item += 1) queue.add('heavy', user('heavy'));
    queue.next()?.done(200);
    queue.add('new', user('new'));
    expect(queue.next()?.item).toBe('new');
  });

  it('gives callers the same cost, not the same number of items', () => {
    const queue = createQueue();
    for (let item = 0; item < 3_000; item += 1) {
      queue.add('cheap', user('cheap'));
      if (item < 100) queue.add('dear', user('dear'));
    }
    const given = serve(queue, (item) => (item === 'dear' ? 100 : 1), 4_000);
    expect(given.get('cheap')).toBeGreaterThan(1_800);
    expect(given.get('dear')).toBeGreaterThan(1_800);
  });

  it('gives 500 networks of a /48 no more than one caller', () => {
    const queue = createQueue();
    for (let item = 0; item < 2_000; item += 1)
      queue.add('many', network(`2001:db8:0:${(item % 500).toString(16)}::1`));
    for (let item = 0; item < 2_000; item += 1) queue.add('one', network('198.51.100.7'));
    const given = serve(queue, () => 1, 1_000);
    expect(given.get('one')).toBeGreaterThanOrEqual(499);
    expect(given.get('many')).toBeGreaterThanOrEqual(499);
  });

  it('puts known callers before others, who are not starved', () => {
    const queue = createQueue();
    for (let item = 0; item < 2_000; item += 1) {
      queue.add('anonymous', network(`203.0.${item % 100}.1`));
      queue.add('known', user(`user ${item % 3}`));
    }
    const given = serve(queue, () => 1, 1_000);
    expect(given.get('known')).toBeGreaterThan(780);
    expect(given.get('anonymous')).toBeGreaterThan(180);
  });

  it('does not forget a caller who always asks for the next when the last is done', () => {
    const queue = createQueue();
    let own = 0;
    for (let item = 0; item < 1_000; item += 1) queue.add('patient', user('patient'));
    queue.add('quick', user('quick'));
    for (let round = 0; round < 200; round += 1) {
      const served = queue.next();
      served?.done(1);
      if (served?.item !== 'quick') continue;
      own += 1;
      queue.add('quick', user('quick'));
    }
    expect(own).toBeGreaterThan(90);
    expect(own).toBeLessThan(110);
  });

  it('passes over those who may not be served now, and keeps their place', () => {
    const queue = createQueue();
    for (const name of ['heavy', 'heavy', 'light']) queue.add(name, user(name));
    queue.add('far', network('198.51.100.7'));
    const isLight = (item: string): boolean => item !== 'heavy' && item !== 'far';
    expect(queue.next(isLight)?.item).toBe('light');
    expect(queue.next(isLight)).toBeUndefined();
    expect(queue.next((item) => item === 'far')?.item).toBe('far');
    expect([queue.next()?.item, queue.next()?.item, queue.waiting]).toEqual(['heavy', 'heavy', 0]);
  });

  it('serves no more of one caller, or of a network, at a time than it may', () => {
    const queue = createQueue({ maxServedPerKey: [1, 2, 3] });
    const addresses = ['2001:db8:0:1::1', '2001:db8:0:2::1', '2001:db8:0:3::1', '2001:db8:0:101::1'];
    for (const address of addresses) for (const item of ['a', 'b']) queue.add(item, network(address));
    queue.add('other', network('198.51.100.7'));
    const served: ServedItem<string>[] = [];
    for (let one = queue.next(); one; one = queue.next()) served.push(one);
    expect(served).toHaveLength(4); // two of one /56, one of another, one of another network
    expect(served.map(({ item }) => item)).toContain('other');
    served[0]?.done(1);
    expect(queue.next()).toBeDefined();
    expect(queue.next()).toBeUndefined();
  });

  it('lets a caller, and a network, have no more waiting than it may', () => {
    const queue = createQueue({ maxWaitingPerKey: [2, 3, 4] });
    const responses = ['1', '1', '1', '2', '3', '103', '203'].map((group) =>
      typeof queue.add(group, network(`2001:db8:0:${group}::1`)) === 'string' ? 'rejected' : 'waits',
    );
    expect(responses).toEqual(['waits', 'waits', 'rejected', 'waits', 'rejected', 'waits', 'rejected']);
    expect(queue.add('x', network('2001:db8:0:1::1'))).toBe('share');
    expect(typeof queue.add('x', network('2001:db8:1:1::1'))).toBe('object');
  });

  it('takes a newcomer when it is full, in the place of the newest of the caller with most waiting', () => {
    const queue = createQueue({ maxWaiting: 10 });
    for (let item = 0; item < 10; item += 1) queue.add(`heavy ${item}`, user('heavy'));
    expect(queue.add('heavy 10', user('heavy'))).toBe('total');
    expect(typeof queue.add('new', user('new'))).toBe('object');
    expect(queue.displaced).toEqual(['heavy 9']);
    expect(queue.waiting).toBe(10);
    for (let item = 0; item < 20; item += 1) queue.add(`new ${item}`, user('new'));
    expect(queue.waitingOf(user('heavy'))).toBe(5);
    expect(queue.waitingOf(user('new'))).toBe(5);
  });

  it('forgets who has left before the turn came', () => {
    const queue = createQueue();
    const first = queue.add('first', user('ada'));
    queue.add('second', user('ada'));
    if (typeof first !== 'string') first.leave();
    expect(queue.next()?.item).toBe('second');
    if (typeof first !== 'string') first.leave();
    expect(queue.waiting).toBe(0);
  });

  it('keeps its bounds and loses nothing, whatever callers do', () => {
    const random = createRandom(1);
    const bounds = { maxWaiting: 60, maxWaitingPerKey: [8, 16, 30], maxServedPerKey: [2, 4, 6] } as const;
    const queue = createQueue(bounds);
    const callers = Array.from({ length: 60 }, (_, index) =>
      index < 20 ? user(`${index}`) : network(`2001:db8:${index % 3}:${(index * 37).toString(16)}::1`),
    );
    const waiting = new Map<string, { readonly place: QueuePlace; readonly caller: QueueCaller }>();
    const underway = new Map<ServedItem<string>, QueueCaller>();
    const counts = { added: 0, left: 0, served: 0 };
    const count = (all: Iterable<QueueCaller>, key: string): number =>
      [...all].filter(({ keys }) => keys.includes(key)).length;

    for (let round = 0; round < 5_000; round += 1) {
      const choice = random.below(10);
      if (choice < 5) {
        const caller = random.pick(callers);
        const place = queue.add(`${round}`, caller);
        if (typeof place !== 'string') waiting.set(`${round}`, { place, caller });
        if (typeof place !== 'string') counts.added += 1;
      } else if (choice < 6 && waiting.size > 0) {
        const [item, { place }] = random.pick([...waiting]);
        place.leave();
        waiting.delete(item);
        counts.left += 1;
      } else if (choice < 8) {
        const served = queue.next();
        const caller = served && waiting.get(served.item)?.caller;
        if (served && caller) {
          waiting.delete(served.item);
          underway.set(served, caller);
          counts.served += 1;
        } else expect(served).toBeUndefined();
      } else if (underway.size > 0) {
        const [served] = random.pick([...underway]);
        underway.delete(served);
        served.done(random.below(50));
      }
      for (const item of queue.displaced.splice(0)) {
        expect(waiting.delete(item)).toBe(true);
        counts.left += 1;
      }
      expect(queue.waiting).toBe(waiting.size);
      expect(queue.served).toBe(underway.size);
      expect(queue.waiting).toBeLessThanOrEqual(bounds.maxWaiting);
      if (round % 50 > 0) continue;
      const waitingCallers = [...waiting.values()].map(({ caller }) => caller);
      for (const { keys } of callers)
        keys.forEach((key, level) => {
          expect(count(waitingCallers, key)).toBeLessThanOrEqual(bounds.maxWaitingPerKey[level] ?? 0);
          expect(count(underway.values(), key)).toBeLessThanOrEqual(bounds.maxServedPerKey[level] ?? 0);
        });
    }
    for (const [served] of underway) served.done(1);
    for (let served = queue.next(); served; served = queue.next()) {
      expect(waiting.delete(served.item)).toBe(true);
      served.done(1);
      counts.served += 1;
    }
    expect(waiting.size).toBe(0);
    expect(counts.added).toBe(counts.left + counts.served);
  });

  it('gives callers that always wait the same within what two items cost, whatever these cost', () => {
    const random = createRandom(7);
    const queue = createQueue({ maxWaiting: 100_000, maxWaitingPerKey: [100_000] });
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) for (let item = 0; item < 4_000; item += 1) queue.add(name, user(name));
    const largest = 100;
    const scale = new Map(names.map((name, index) => [name, [1, 2, 5, 40, largest][index] ?? 1]));
    const given = serve(queue, (item) => 1 + random.below(scale.get(item) ?? 1), 10_000);
    const amounts = names.map((name) => given.get(name) ?? 0);
    expect(Math.max(...amounts) - Math.min(...amounts)).toBeLessThanOrEqual(2 * largest);
  });
});
