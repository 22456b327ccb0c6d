import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareTitles, type TitleRecord } from './compare-titles.ts';
import { listTitles, type FiledTitle } from './list-titles.ts';
import { readTitles } from './read-titles.ts';

function titlesOf(text: string): readonly string[] {
  return readTitles('a.test.ts', text).map(({ title }) => title);
}

describe('The titles of a file', () => {
  it.each([
    ['are those of its tests', "it('a', run); test('b', { timeout: 1 }, run);", ['a', 'b']],
    [
      'begin with their groups',
      "describe('A', () => { describe('B', () => { it('c', run); }); it('d', run); });",
      ['A > B > c', 'A > d'],
    ],
    [
      'are one for a table',
      "describe.each(kinds)('%s', () => { it.each([1, 2])('takes %i', run); });",
      ['%s > takes %i'],
    ],
    [
      'count where they are left out, or run on a condition',
      "it.skip('a', run); it.skipIf(no)('b', run); it.skipIf(no).each(rows)('c %s', run); it.concurrent.for(rows)('d', run);",
      ['a', 'b', 'c %s', 'd'],
    ],
    ['have a place for what they take from elsewhere', "it(`${name} is ${'x'}`, run);", ['… is …']],
    ['are put together', "it('a ' + 'b', run); it('a ' + b(), run);", ['a b', 'a …']],
    ['are names where they are values', 'describe(name, () => { it(title, run); });', ['name > title']],
    [
      'are not those of other calls',
      "it('x'); rows.each('y', run); test.extend('z', run); expect(a, b);",
      [],
    ],
  ])('%s', (_what, text, expected) => {
    expect(titlesOf(text)).toEqual(expected);
  });

  it('come with their lines', () => {
    expect(readTitles('a.test.ts', "\n\nit('a', () => {});")).toEqual([
      { title: 'a', line: 3, body: '() => {}' },
    ]);
  });
});

describe('The titles of a repository', () => {
  let folder: TemporaryDirectory;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: folder.path,
      encoding: 'utf8',
    });
  const write = (name: string, text: string): void =>
    writeFileSync(join(folder.path, name), `import { it } from 'vitest';\n${text}\n`);

  beforeEach(() => {
    folder = createTemporaryDirectory();
    git('init', '-q');
  });
  afterEach(() => folder.remove());

  it('are those of its files as they are, or as a revision has them', () => {
    write('a.test.ts', "it('is old', run);");
    git('add', '.');
    git('commit', '-qm', 'first');
    write('a.test.ts', "it('is new', run);");
    const found = (revision?: string): readonly string[] =>
      listTitles(folder.path, revision).map(({ file, title }) => `${file}: ${title}`);
    expect(found('HEAD')).toEqual(['a.test.ts: is old']);
    expect(found()).toEqual(['a.test.ts: is new']);
    rmSync(join(folder.path, 'a.test.ts'));
    write('b.test.ts', "it('is not known to git', run);");
    expect(found()).toEqual(['b.test.ts: is not known to git']);
  });
});

describe('Titles of before', () => {
  const titles = (...names: readonly string[]): readonly FiledTitle[] =>
    names.map((title) => ({ title, line: 1, body: `() => check('${title}')`, file: `${title}.test.ts` }));
  const none: TitleRecord = { renamed: {}, gone: [] };

  it('may be in another file', () => {
    const [one] = titles('a');
    const moved = one === undefined ? [] : [{ ...one, file: 'b.test.ts' }];
    expect(compareTitles(titles('a'), moved, none).unexplained).toEqual([]);
  });

  it('are missing where only one of two is left, beside the test that is most like them', () => {
    const before = titles('rejects a long name', 'rejects a long name', 'b');
    const after = titles('rejects a long name', 'c');
    expect(compareTitles(before, after, none)).toMatchObject({
      before: 3,
      after: 2,
      unexplained: [
        { title: { title: 'rejects a long name' }, nearest: { title: 'rejects a long name' } },
        { title: { title: 'b' }, nearest: undefined },
      ],
    });
  });

  it('are explained by a name of today, through the names between, and by a reason', () => {
    const record: TitleRecord = {
      renamed: { a: 'b', b: 'c', d: 'e' },
      gone: [{ reason: 'no one uses it', titles: ['f'] }],
    };
    expect(compareTitles(titles('a', 'd', 'f'), titles('c'), record)).toMatchObject({
      renamed: 1,
      gone: 1,
      unexplained: [{ title: { title: 'd' } }],
    });
  });
});
