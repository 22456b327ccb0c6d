import { describe, expect, it } from 'vitest';
import { OperationNames } from './operation-names.ts';

describe('Names of operations in metrics', () => {
  it('appear when an operation is in use', () => {
    const names = new OperationNames();
    const labels = Array.from({ length: 11 }, () => names.labelOf('ListPosts'));
    expect(labels.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 'other'));
    expect(labels.slice(9)).toEqual(['ListPosts', 'ListPosts']);
    expect(names.labelOf(undefined)).toBe('');
  });

  it('S-017 are bounded, whatever clients send', () => {
    const names = new OperationNames();
    const labels = new Set<string>();
    for (let index = 0; index < 100_000; index += 1) labels.add(names.labelOf(`once${index}`));
    expect(labels).toEqual(new Set(['other']));
    for (let index = 0; index < 1_000; index += 1)
      for (let use = 0; use < 10; use += 1) labels.add(names.labelOf(`often${index}`));
    expect(labels.size).toBe(201);
    const long = 'n'.repeat(100_000);
    for (let use = 0; use < 10; use += 1) expect(names.labelOf(long)).toBe('other');
  });
});
