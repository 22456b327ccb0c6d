import { describe, expect, it } from 'vitest';
import { hasOldWord, judgeOldWords, valuesOf, type AreaCount } from './find-old-words.ts';

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
    'The gateway says no with 429.',
  ])('are found in %j', (line) => {
    expect(hasOldWord(line)).toBe(true);
  });

  it.each(['The client is notified.', 'intellect', 'skept', 'awayness', 'there is one'])(
    'are not seen in %j',
    (line) => {
      expect(hasOldWord(line)).toBe(false);
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
