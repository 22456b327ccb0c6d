import { describe, expect, it } from 'vitest';
import { compareReaders } from './testing/compare-many.ts';

describe('The own readers of HTTP', () => {
  it('G13: accept only what llhttp accepts, and read it alike: 2,000 random messages, cut and pipelined', async () => {
    const { differences, isMeaningful } = await compareReaders(2_000, 1);
    expect({ differences, isMeaningful }).toEqual({ differences: [], isMeaningful: true });
  });
});
