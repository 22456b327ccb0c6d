import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TurnQueue } from './turn-queue.ts';

describe('a queue by turns of the event loop', () => {
  it('does at once what comes alone', () => {
    const done: number[] = [];
    new TurnQueue(2).run(() => done.push(1));
    expect(done).toEqual([1]);
  });

  it('does a few of a burst in each turn, in their order, those that come late after the others', async () => {
    const queue = new TurnQueue(2);
    const done: number[] = [];
    for (const job of [1, 2, 3, 4, 5]) queue.run(() => done.push(job));
    expect([done, queue.size]).toEqual([[1, 2], 3]);
    await nextTurn();
    queue.run(() => done.push(6));
    expect([done, queue.size]).toEqual([[1, 2, 3, 4], 2]);
    await nextTurn();
    expect([done, queue.size]).toEqual([[1, 2, 3, 4, 5, 6], 0]);
    await nextTurn();
    queue.run(() => done.push(7));
    expect(done).toHaveLength(7);
  });

  it('takes jobs of jobs after those that wait', async () => {
    const queue = new TurnQueue(1);
    const done: string[] = [];
    queue.run(() => {
      done.push('first');
      queue.run(() => done.push('of the first'));
    });
    queue.run(() => done.push('second'));
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(done).toEqual(['first', 'of the first', 'second']);
  });
});
