import { expect, it } from 'vitest';
import { fillPasswordFilter, readPasswordFilter } from './password-filter.ts';

it('a filter has every password that it was made of, and hardly another', () => {
  const words = (kind: string): string[] => Array.from({ length: 5_000 }, (_, index) => `${kind} ${index}`);
  const filter = readPasswordFilter(fillPasswordFilter(new Set(words('in'))));
  expect(words('in').every((word) => filter.has(word))).toBe(true);
  expect(words('out').filter((word) => filter.has(word)).length).toBeLessThan(3);
});
