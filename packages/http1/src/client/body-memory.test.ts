import { describe, expect, it } from 'vitest';
import { BodyMemory } from './messages.ts';

const KIB = 1_024;

describe('Memory for bodies', () => {
  it('is used again for a body of about the same length', () => {
    const memory = new BodyMemory();
    const first = memory.take(100 * KIB);
    expect(first.length).toBe(128 * KIB);
    memory.give(first);
    expect(memory.take(65 * KIB) === first).toBe(true);
    expect(memory.take(65 * KIB) === first).toBe(false);
  });

  it.each([0, 1, 32 * KIB, 1_024 * KIB + 1])('is not used again where a body has %d bytes', (length) => {
    const memory = new BodyMemory();
    const bytes = memory.take(length);
    expect([bytes.length, memory.isOfHere(bytes)]).toEqual([length, false]);
    memory.give(bytes);
    expect(memory.take(length) === bytes).toBe(false); // without the matcher's look for what differs
  });

  it('stays with the process up to 8 MiB', () => {
    const memory = new BodyMemory();
    const taken = Array.from({ length: 9 }, () => memory.take(1_024 * KIB));
    for (const bytes of taken) memory.give(bytes);
    const again = Array.from({ length: 9 }, () => memory.take(1_024 * KIB));
    expect(again.filter((bytes) => taken.includes(bytes))).toHaveLength(8);
  });
});
