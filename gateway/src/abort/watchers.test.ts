import { describe, expect, it } from 'vitest';
import { Watchers } from './watchers.ts';

function watching(count: number): {
  readonly watchers: Watchers;
  readonly called: number[];
  readonly stops: readonly (() => void)[];
} {
  const watchers = new Watchers();
  const called: number[] = [];
  const stops = Array.from({ length: count }, (_, number) => watchers.add(() => void called.push(number)));
  return { watchers, called, stops };
}

describe('Those who watch', () => {
  it('are called but for those who have left, in whatever order they left', () => {
    for (const leaving of [[0], [4], [2, 0], [0, 4, 1], [4, 3, 2, 1, 0], [1, 1, 3]]) {
      const { watchers, called, stops } = watching(5);
      for (const number of leaving) stops[number]?.();
      watchers.callAll();
      expect(new Set(called)).toEqual(new Set([0, 1, 2, 3, 4].filter((number) => !leaving.includes(number))));
      expect(called).toHaveLength(5 - new Set(leaving).size);
    }
  });

  it('are not called when another one takes them out meanwhile, and those who come then wait for the next call', () => {
    const watchers = new Watchers();
    const called: string[] = [];
    watchers.add(() => {
      called.push('first');
      stopSecond();
      watchers.add(() => void called.push('late'));
    });
    const stopSecond = watchers.add(() => void called.push('second'));
    watchers.callAll();
    expect(called).toEqual(['first']);
    watchers.callAll();
    expect(called).toEqual(['first', 'first', 'late']);
  });

  it('leave once: who takes their place stays', () => {
    const { watchers, called, stops } = watching(2);
    stops[0]?.();
    stops[0]?.();
    watchers.callAll();
    expect(called).toEqual([1]);
  });
});
