import { describe, expect, it } from 'vitest';
import { EventQueue } from './event-queue.ts';

async function takeAll<Event>(queue: EventQueue<Event>): Promise<readonly Event[]> {
  const taken: Event[] = [];
  for (let event = await queue.take(); event !== undefined; event = await queue.take()) taken.push(event);
  return taken;
}

describe('EventQueue', () => {
  it('gives events in their order, before and after a reader waits for them', async () => {
    const queue = new EventQueue<number>(10);
    queue.push(1);
    const taken = takeAll(queue);
    await Promise.resolve();
    queue.push(2);
    queue.push(3);
    queue.end();
    expect(await taken).toEqual([1, 2, 3]);
  });

  it('F-18 ends with EVENTS_MISSED when more wait than it holds, after what it holds', async () => {
    const queue = new EventQueue<number>(2);
    expect([1, 2, 3, 4].map((event) => queue.push(event))).toEqual([true, true, false, true]);
    expect([await queue.take(), await queue.take()]).toEqual([1, 2]);
    await expect(queue.take()).rejects.toMatchObject({ extensions: { code: 'EVENTS_MISSED' } });
  });

  it('wakes who waits when it is cleared, and takes nothing more', async () => {
    const queue = new EventQueue<number>(2);
    const taken = queue.take();
    queue.clear();
    queue.push(1);
    expect([await taken, await queue.take()]).toEqual([undefined, undefined]);
  });
});
