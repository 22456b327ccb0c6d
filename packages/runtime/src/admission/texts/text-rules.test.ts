import { describe, expect, it } from 'vitest';
import { characterProblem, type TextKind } from './character-problem.ts';
import { fileNameProblem } from './file-name-problem.ts';
import { unfitTextIn } from './unfit-text-in.ts';

/** Every code point, with the kinds of text that may hold it; all others may be in all of them. */
const EXPECTED: readonly (readonly [
  what: string,
  codePoints: readonly number[],
  kinds: readonly TextKind[],
])[] = [
  ['NUL', [0], []],
  ['halves of surrogate pairs', range(0xd800, 0xdfff), []],
  ['controls', [...range(0x01, 0x1f), ...range(0x7f, 0x9f)], ['opaque', 'token', 'lines']],
  ['marks of direction', [0x061c, 0x200e, 0x200f], ['opaque', 'lines']],
  ['embeddings and overrides', range(0x202a, 0x202e), ['opaque']],
  ['isolates', range(0x2066, 0x2069), ['opaque']],
];

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const KINDS: readonly TextKind[] = ['opaque', 'token', 'line', 'lines'];

function kindsThatMayHold(codePoint: number): readonly TextKind[] {
  const text = `a${String.fromCodePoint(codePoint)}b`;
  return KINDS.filter((kind) => characterProblem(text, kind) === undefined);
}

describe('The characters of a text', () => {
  it.each(EXPECTED)('L1: %s stand in no texts but those for them', (_what, codePoints, kinds) => {
    for (const codePoint of codePoints) expect(kindsThatMayHold(codePoint)).toEqual(kinds);
  });

  it('are any others, in texts of any kind', () => {
    const special = new Set(EXPECTED.flatMap(([, codePoints]) => codePoints));
    const rejected: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10_ff_ff; codePoint += codePoint < 0x3_00_00 ? 1 : 997)
      if (!special.has(codePoint) && kindsThatMayHold(codePoint).length < KINDS.length)
        rejected.push(codePoint.toString(16));
    expect(rejected).toEqual([]);
  });

  it.each(['می‌خواهم', 'क्‍ष', '👩‍🚀', 'שלום', 'Ünï'])('keep joiners and letters: %s', (text) => {
    expect(KINDS.map((kind) => characterProblem(text, kind))).toEqual(KINDS.map(() => undefined));
  });
});

describe('The name of a file', () => {
  it.each(['a\0.png', 'a\ud800.png', 'a\ud83d\u200f\ude00.png', 'a\u001b.png', 'a\n.png'])(
    'L1: is a line of well-formed text, whatever is allowed: %j',
    (name) => {
      expect(fileNameProblem(name)).toBeDefined();
      expect(fileNameProblem(name, { bidiControls: true })).toBeDefined();
    },
  );

  it('may hold marks of direction, and what embeds, overrides or isolates one where that is allowed', () => {
    expect(fileNameProblem('\u200fلقطة 1.png')).toBeUndefined();
    expect(fileNameProblem('a\u202egnp.exe')).toContain('direction');
    expect(fileNameProblem('a\u2066b\u2069.png', { bidiControls: true })).toBeUndefined();
  });
});

describe('An unfit text', () => {
  it.each<[unknown, string | undefined]>([
    ['a', undefined],
    [{ a: ['b', { c: 1, d: null }] }, undefined],
    ['a\0', ''],
    [{ a: ['b', { c: 'd\ud800' }] }, 'a.1.c'],
    [{ a: { 'b\u202e': 1 } }, 'a'],
  ])('is found in %j', (value, path) => {
    expect(unfitTextIn(value, 'line')?.path).toBe(path);
  });

  it('is found however deep it is', () => {
    const deep = JSON.parse(`${'['.repeat(30_000)}"\\u0000"${']'.repeat(30_000)}`) as unknown;
    expect(unfitTextIn(deep, 'line')?.problem).toContain('character zero');
  });
});
