import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { checkLinks, findDeadLinks } from './dead-links.ts';

describe('A link of a comment', () => {
  it.each([
    ['Gone', 'Gone'],
    ['Gone.member', 'Gone.member'],
    ['Gone#member', 'Gone#member'],
    ['Gone | a text', 'Gone'],
    ['Gone a text', 'Gone'],
  ])('is dead where its file has no such name: {@link %s}', (link, target) => {
    expect(findDeadLinks('a.ts', `// first\n/** Settings of {@link ${link}}. */\nconst b = 1;\n`)).toEqual([
      `a.ts:2 links to ${target}, a name that the file does not have.`,
    ]);
  });

  it.each([
    ['declared', '/** {@link later} */\nfunction later() {}'],
    ['imported', "import type { Other } from './other.ts';\n/** {@link Other.member} */\nconst a = 1;"],
    ['a private member', 'class A {\n  #b = 1;\n  /** {@link #b} */\n  c = 2;\n}'],
    ['a URL', '/** {@link https://a.example/b c} */\nconst a = 1;'],
    ['a text of the program', "const a = '{@link Gone}';"],
  ])('is alive where it is %s', (_what, text) => {
    expect(findDeadLinks('a.ts', text)).toEqual([]);
  });

  it('is dead where comments alone have the name', () => {
    expect(findDeadLinks('a.ts', '// Gone\n/* {@link Gone} */\nconst a = 1;')).toHaveLength(1);
  });

  it('is nowhere dead', () => {
    expect(checkLinks(repository)).toEqual([]);
  });
});
