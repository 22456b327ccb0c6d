import { describe, expect, it } from 'vitest';
import {
  findOldWords,
  hasOldWord,
  isChecked,
  judgeOldWords,
  valuesOf,
  type AreaCount,
} from './find-old-words.ts';

describe('Old words', () => {
  it.each([
    'The client is told.',
    'Nobody reads it',
    "somebody's post",
    'toldType',
    'const whatKept = 1;',
    'kept-answers.ts',
    'MUST_TELL',
    'What is there, is there.',
    'Those that are not there',
    'One that is still there',
    'clients that take parts',
    'one subscription at the subgraph',
    'The gateway says no with 429.',
  ])('are found in %j', (line) => {
    expect(hasOldWord(line)).toBe(true);
  });

  it.each([
    'The client is notified.',
    'intellect',
    'skept',
    'awayness',
    'there is one',
    'There are more, whether or not there is a limit.',
  ])('are not seen in %j', (line) => {
    expect(hasOldWord(line)).toBe(false);
  });

  it.each([
    ['A store that is not\nusable is named.', 'A store that is not usable is named.'],
    ['  /**\n   * Takes a\n   * snapshot.\n   */', '* Takes a * snapshot.'],
    ['  // one that is not\n  // usable', '// one that is not // usable'],
    ['# is not\n# usable', '# is not # usable'],
    ['-- is not\n-- usable', '-- is not -- usable'],
    ['> is not\n> usable', '> is not > usable'],
    ["  'The store is not ' +\n    'usable.',", "'The store is not ' + 'usable.',"],
    ['a slow-\nclient', 'a slow- client'],
  ])('are found where they are broken over two lines: %j', (text, shown) => {
    const lines = ['first', ...text.split('\n'), 'last'];
    const [found, ...others] = findOldWords(lines);
    expect(found?.text).toBe(shown);
    expect(lines[(found?.line ?? 0) - 1]).toMatch(/not|takes a$|slow/i);
    expect(others).toEqual([]);
  });

  it.each(['is not\n\nusable', '- is not\n- usable', "'is not',\n'usable'", '| is not |\n| usable |'])(
    'are not put together of lines of which the second begins another text: %j',
    (text) => {
      expect(findOldWords(text.split('\n'))).toEqual([]);
    },
  );

  it('count once in a line that has several', () => {
    expect(findOldWords(['a', 'told and told', 'kept'])).toEqual([
      { line: 2, text: 'told and told' },
      { line: 3, text: 'kept' },
    ]);
  });

  it.each([
    '.ci/run',
    'NOTICE',
    'Dockerfile',
    'a.js',
    'a.mjs',
    'a.mts',
    'a.sh',
    'a.yml',
    'a.ts',
    'a.md',
    'package.json',
  ])('are looked for in %s', (path) => {
    expect(isChecked(path)).toBe(true);
  });

  it.each(['a.webp', 'a.pem', 'tsconfig.json', 'pnpm-lock.yaml', 'docs-site/pnpm-lock.yaml'])(
    'are not looked for in %s, which has words of others or none',
    (path) => {
      expect(isChecked(path)).toBe(false);
    },
  );

  it('are no words of today in the key of a record, but in its value', () => {
    const lines = valuesOf('{\n  "is \\"told\\": a": "is notified",\n  "is new": "is told"\n}\n');
    expect(lines.map(hasOldWord)).toEqual([false, false, true, false, false]);
  });

  const area = (lines: number, atMost: number): AreaCount => ({
    paths: ['docs/'],
    atMost,
    found: Array.from({ length: lines }, (_, index) => ({
      path: 'docs/a.md',
      line: index + 1,
      text: ' told ',
    })),
  });

  it('beyond the bound of an area are listed with their places', () => {
    expect(judgeOldWords([area(2, 1)])).toEqual({
      passed: false,
      output: 'docs/a.md:1: told\ndocs/a.md:2: told\n',
      figures: '2 lines left',
    });
  });

  it('within the bound pass', () => {
    expect(judgeOldWords([area(1, 1), area(0, 0)])).toMatchObject({ passed: true, output: '' });
  });
});
