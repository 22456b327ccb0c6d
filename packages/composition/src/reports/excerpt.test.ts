import { describe, expect, it } from 'vitest';
import { printable, printableLine } from './excerpt.ts';
import { writeText } from './write-text.ts';

describe('What others wrote', () => {
  it.each([
    ['::error file=a::x', String.raw`\u{3a}:error file=a::x`],
    ['one\n  ::add-mask::x\ntwo', `one\n  ${String.raw`\u{3a}`}:add-mask::x\ntwo`],
    ['name ##[error]x', String.raw`name \u{23}#[error]x`],
    ['##VSO[task.complete]', String.raw`\u{23}#VSO[task.complete]`],
    ['\u{1B}[2J', String.raw`\u{1b}[2J`],
  ])('is no command to a terminal or a pipeline: %j', (text, printed) => {
    expect(printable(text)).toBe(printed);
  });

  it.each(['a::b', 'Query.user', '## heading', 'production.3/canary'])('is left as it is: %s', (text) => {
    expect(printable(text)).toBe(text);
  });

  it('begins no line of its own where it is a part of one', () => {
    expect(printableLine('web\n::warning::x')).toBe(String.raw`web\u{a}\u{3a}:warning::x`);
  });

  it('begins no line of a report: the name of a client', () => {
    const operation = { id: 'a', name: 'Feed', clients: ['web\n::error::all is lost'], requests: 1 };
    const change = {
      code: 'FIELD_REMOVED',
      verdict: 'breaking' as const,
      coordinate: 'Query.a',
      message: 'It is gone.',
      action: 'Keep it.',
      exposure: false,
      locations: [],
      operations: [operation],
    };
    const text = writeText({
      command: 'check',
      diagnostics: [],
      changes: [change],
      plans: [],
      openRootFields: [],
    });
    expect(text).toContain('Feed (web');
    expect(text.split('\n').filter((line) => line.trimStart().startsWith('::'))).toEqual([]);
  });
});
