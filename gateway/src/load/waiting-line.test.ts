import { shareKeysOf, type QueueCaller } from '@trellis/runtime/admission';
import { describe, expect, it } from 'vitest';
import { WaitingLine, type InLine } from './waiting-line.ts';

interface Named extends InLine {
  readonly name: string;
}

const network = (address: string): QueueCaller => ({ keys: shareKeysOf({ address }), isKnown: false });
const HOG = network('192.0.2.1');

function lineOf(...callers: readonly (readonly [string, QueueCaller | undefined])[]): WaitingLine<Named> {
  const line = new WaitingLine<Named>();
  for (const [name, caller] of callers) line.add({ name, caller });
  return line;
}

function takeAll(line: WaitingLine<Named>): string[] {
  const names: string[] = [];
  for (let next = line.next(); next; next = line.next()) names.push(next.name);
  return names;
}

describe('G9: those who wait for a turn', () => {
  it('have it in the order in which they came while they are of one caller', () => {
    const line = lineOf(['a', HOG], ['b', HOG], ['c', HOG]);
    expect([line.size, line.callers, line.oldest?.name]).toEqual([3, 1, 'a']);
    expect(takeAll(line)).toEqual(['a', 'b', 'c']);
    expect([line.size, line.callers, line.oldest]).toEqual([0, 0, undefined]);
  });

  it('have it before all that another has waiting', () => {
    const hogs = Array.from({ length: 100 }, (_, index) => [`hog ${index}`, HOG] as const);
    const line = lineOf(...hogs, ['quick', network('198.51.100.1')], ['anonymous', undefined]);
    expect(takeAll(line).slice(0, 4)).toEqual(expect.arrayContaining(['quick', 'anonymous']));
    line.add({ name: 'again', caller: HOG });
    expect(takeAll(line)).toEqual(['again']);
  });

  it('have it only where they may: the others stay where they are', () => {
    const line = lineOf(['a', HOG], ['b', HOG], ['c', network('198.51.100.1')]);
    expect(line.next(({ name }) => name === 'c')?.name).toBe('c');
    expect(line.next(({ caller }) => caller !== HOG)).toBeUndefined();
    expect(takeAll(line)).toEqual(['a', 'b']);
    const single = lineOf(['a', HOG]);
    expect([single.next(() => false), single.size]).toEqual([undefined, 1]);
  });

  it('can leave, and are gone through in the order in which they came', () => {
    const line = lineOf(['a', HOG], ['b', network('198.51.100.1')], ['c', HOG]);
    const [first] = line;
    if (first) line.delete(first);
    if (first) line.delete(first);
    expect([...line].map(({ name }) => name)).toEqual(['b', 'c']);
    expect([line.size, line.callers]).toEqual([2, 2]);
    expect(takeAll(line).toSorted()).toEqual(['b', 'c']);
  });
});
