import { describe, expect, it } from 'vitest';
import { createBookshopCache, leftBehind, limitOf } from '../../test-fixtures/load/cached-documents.ts';

describe('What is cached of large documents', () => {
  it('G11: 30 documents of 800 operations are bounded by what they take up, and so is each of them', async () => {
    const operationCache = createBookshopCache();
    const left = await leftBehind(operationCache, 30, (number) => {
      const operations = Array.from(
        { length: 800 },
        (_, index) => `query Q${number}x${index} { books { title } }`,
      );
      for (const index of [0, 399, 799])
        expect(limitOf(operationCache, operations.join(' '), `Q${number}x${index}`)).toBeUndefined();
    });
    expect(left).toBeLessThan(20);
  });
});
