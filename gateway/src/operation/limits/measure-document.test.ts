import { parse } from 'graphql';
import { cpuTimeOf } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../../errors.ts';
import { PROTECTIVE_LIMITS } from '../../settings/limits.ts';
import { compileProtection } from './measure-document.ts';

function rejection(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    compileProtection(PROTECTIVE_LIMITS)(parse(text));
  } catch (error) {
    if (error instanceof RequestError) return error.errors[0]?.extensions;
    throw error;
  }
  return undefined;
}

/** `f0` spreads `f1` twice, which spreads `f2` twice, … */
function fragmentBomb(levels: number): string {
  const fragments = Array.from(
    { length: levels },
    (_, level) => `fragment f${level} on Query { a { ...f${level + 1} } b { ...f${level + 1} } }`,
  );
  return `{ ...f0 } ${fragments.join(' ')} fragment f${levels} on Query { id }`;
}

describe('Limits: expanded selections', () => {
  it('lets an ordinary operation pass', () => {
    expect(rejection('{ me { name ...f } } fragment f on User { posts { title } }')).toBeUndefined();
  });

  it('S-007 rejects a fragment bomb of 2^14 and of 2^30 in linear time', async () => {
    for (const levels of [14, 30]) {
      const elapsedMs = await cpuTimeOf(() => {
        expect(rejection(fragmentBomb(levels))).toMatchObject({
          code: 'QUERY_TOO_COMPLEX',
          limit: { name: 'selections', maximum: 5_000 },
        });
      });
      expect(elapsedMs).toBeLessThan(50);
    }
  });

  it('reports a number for a bomb beyond all numbers', () => {
    const { limit } = rejection(fragmentBomb(95)) as { limit: { actual: number } };
    expect(limit.actual).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('counts the operations of a document together', () => {
    const fragment = `fragment f on Query { ${'a '.repeat(60)} }`;
    const operations = Array.from({ length: 100 }, (_, index) => `query q${index} { ...f }`).join(' ');
    expect(rejection(`${operations} ${fragment}`)).toMatchObject({ limit: { name: 'selections' } });
  });

  it('S-006 rejects a fragment that spreads itself, directly or around a corner', () => {
    const cycles = [
      '{ ...a } fragment a on Query { x { ...a } }',
      '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }',
    ];
    for (const text of cycles) expect(rejection(text)).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
  });
});

describe('Limits: nesting', () => {
  it('S-001 rejects what is nested too deeply for the steps that follow, inline and through a chain of fragments', () => {
    const inline = `${'{ a '.repeat(1_500)} ${'}'.repeat(1_500)}`;
    const chain = Array.from(
      { length: 1_200 },
      (_, index) => `fragment f${index} on Query { ...f${index + 1} }`,
    );
    for (const text of [inline, `{ ...f0 } ${chain.join(' ')}`])
      expect(rejection(text)).toMatchObject({ limit: { name: 'nesting', maximum: 200 } });
  });

  it('S-002 rejects literals that are nested as deeply', () => {
    const list = `${'['.repeat(300)}${']'.repeat(300)}`;
    const object = `${'{ a: '.repeat(300)}1${'}'.repeat(300)}`;
    for (const text of [`{ f(x: ${list}) }`, `{ f @d(x: ${object}) }`, `query ($v: X = ${object}) { f }`])
      expect(rejection(text)).toMatchObject({ limit: { name: 'nesting' } });
    expect(rejection('{ f(x: [[[{ a: [1] }]]]) }')).toBeUndefined();
  });

  it('adds the levels of a fragment that was counted before', () => {
    const fragment = `fragment f on Query ${'{ a '.repeat(150)} ${'}'.repeat(150)}`;
    expect(rejection(`{ ...f } ${fragment}`)).toBeUndefined();
    expect(rejection(`{ ...f ${'a { '.repeat(100)} ...f ${'}'.repeat(100)} } ${fragment}`)).toMatchObject({
      limit: { name: 'nesting' },
    });
  });
});

describe('Limits: overlapping fields', () => {
  it('S-016 rejects overlapping fields that validation would compare pair by pair, inline', () => {
    const text = `{ ${`f { ${'a '.repeat(10)} } `.repeat(300)} }`;
    expect(rejection(text)).toMatchObject({ limit: { name: 'overlaps' } });
  });

  it('S-016 rejects overlapping fields that validation would compare pair by pair, in named fragments', () => {
    const names = Array.from({ length: 300 }, (_, index) => `f${index}`);
    const spreads = names.map((name) => `...${name}`).join(' ');
    const fragments = names.map((name) => `fragment ${name} on Query { x${name} }`).join(' ');
    expect(rejection(`{ ${spreads} } ${fragments}`)).toMatchObject({ limit: { name: 'overlaps' } });
  });

  it('weighs the arguments that are compared', () => {
    const field = `f(list: [${'1, '.repeat(30)}]) `;
    expect(rejection(`{ ${field.repeat(100)} }`)).toMatchObject({ limit: { name: 'overlaps' } });
    expect(rejection(`{ ${'f '.repeat(100)} }`)).toBeUndefined();
  });

  it('lets fragments of one entity share some fields', () => {
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const fragments = names
      .map((name) => `fragment ${name} on User { __typename id name ${name} }`)
      .join(' ');
    expect(
      rejection(`{ me { ${names.map((name) => `...${name}`).join(' ')} } } ${fragments}`),
    ).toBeUndefined();
  });
});
