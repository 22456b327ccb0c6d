import { describe, expect, it } from 'vitest';
import {
  createBookshopCache,
  leftBehind,
  limitOf,
  MEGABYTE,
} from '../../test-fixtures/load/cached-documents.ts';
import { DEFAULT_LIMITS } from '../settings/limits.ts';
import { parseOperation } from './document/parse-operation.ts';
import type { CachedDocument } from './operation-cache.ts';

const aliases = (count: number): string =>
  Array.from({ length: count }, (_, index) => `a${index}: title`).join(' ');

describe('What is cached of documents', () => {
  it('G11: 160 documents of 3,200 aliases leave nearly nothing behind', async () => {
    const operationCache = createBookshopCache();
    const left = await leftBehind(operationCache, 160, (number) =>
      expect(limitOf(operationCache, `query Q${number} { books { ${aliases(3_200)} } }`)).toBe('aliases'),
    );
    expect(left).toBeLessThan(4);
  });

  it('G11: what one caller sends leaves half of the room to others, however often it is sent', () => {
    const operationCache = createBookshopCache();
    const others = Array.from({ length: 500 }, (_, index) => `query Other${index} { books { title } }`);
    const sendOthers = (): CachedDocument[] =>
      others.map((text, index) => operationCache.document(text, `198.51.${index % 250}.1`));
    sendOthers();
    const known = sendOthers();
    for (let number = 0; number < 2_500; number += 1)
      for (let time = 0; time < 3; time += 1)
        operationCache.document(`query Flood${number} { books { title } }`, '203.0.113.1');
    const cached = others.filter((text, index) => operationCache.document(text) === known[index]);
    expect(cached.length).toBeGreaterThan(480);
  });

  it('G11: what one caller sends leaves others room for what they have sent once', () => {
    const operationCache = createBookshopCache();
    const others = Array.from({ length: 50 }, (_, index) => `query Other${index} { books { title } }`);
    const known = others.map((text, index) => operationCache.document(text, `198.51.${index}.1`));
    for (let number = 0; number < 2_500; number += 1)
      operationCache.document(`query Flood${number} { books { title } }`, '203.0.113.1');
    const cached = others.filter((text, index) => operationCache.document(text) === known[index]);
    expect(cached).toEqual(others);
  });

  it('keeps little of what was sent once, and all of what is sent again', () => {
    const operationCache = createBookshopCache();
    const texts = Array.from({ length: 600 }, (_, index) => `query Q${index} { books { title } }`);
    const send = (): CachedDocument[] => texts.map((text) => operationCache.document(text, '203.0.113.1'));
    const [once, twice, thrice] = [send(), send(), send()];
    expect(twice.filter((document, index) => document === once[index]).length).toBeLessThan(300);
    expect(thrice.filter((document, index) => document === twice[index])).toHaveLength(texts.length);
  });

  it('lets a new population in: after 1,500 operations that were used again and again, 990 of 1,000 others of 45 tokens in two rounds', () => {
    const operationCache = createBookshopCache();
    const population = (name: string, size: number): string[] =>
      Array.from(
        { length: size },
        (_, index) =>
          `query ${name}${index} { books { ${'title pages count '.repeat(12)} author { name } } }`,
      );
    const [before, others] = [population('Before', 1_500), population('Other', 1_000)];
    expect(parseOperation(others[0] ?? '', DEFAULT_LIMITS).tokens).toBeGreaterThanOrEqual(45);
    const send = (texts: readonly string[]): number =>
      texts.filter((text, index) => {
        if (operationCache.known(text)) return true;
        operationCache.document(text, `198.51.${index % 250}.1`);
        return false;
      }).length;
    for (let round = 0; round < 4; round += 1) send(before);
    for (let round = 0; round < 2; round += 1) send(others);
    expect(send(others)).toBeGreaterThanOrEqual(990);
  });

  it('G11: texts weigh as well: of 40 whose comments have 1 MB each, two are cached', () => {
    const operationCache = createBookshopCache();
    const long = `#${'x'.repeat(MEGABYTE)}`;
    const texts = Array.from({ length: 40 }, (_, index) => `query Q${index} { __typename }${long}`);
    const sent = texts.map((text) => operationCache.document(text));
    const cached = sent.filter((document, index) => operationCache.document(texts[index] ?? '') === document);
    expect(cached.length).toBeLessThanOrEqual(2);
  });

  it('judges the operations of a document one by one', () => {
    const operationCache = createBookshopCache();
    const text = `query Small { books { title } } query Large { books { ${aliases(11)} } }`;
    expect(limitOf(operationCache, text, 'Small')).toBeUndefined();
    expect(limitOf(operationCache, text, 'Large')).toBe('aliases');
    expect(limitOf(operationCache, text, 'Large')).toBe('aliases');
    expect(() => operationCache.document(text).operation('None')).toThrow('has no operation "None"');
  });

  it('keeps the places that errors name, and no tokens', () => {
    const { definition } = createBookshopCache()
      .document('query ($on: Boolean!) { books { title @include(if: $on) } }')
      .operation(undefined);
    const [variable] = definition.variableDefinitions ?? [];
    expect(variable?.loc).toMatchObject({ start: 7, source: { body: expect.any(String) } });
    expect(variable?.loc).not.toHaveProperty('startToken');
    expect(definition.loc).toBeUndefined();
  });
});
