import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commitNumber, partOfCommit } from './part-of-commit.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

const ITEMS = Array.from({ length: 23 }, (_, index) => index);

describe('What a small proof looks at', () => {
  it('is another part at each commit, and all parts together are all there is', () => {
    const parts = Array.from({ length: 10 }, (_, commit) => partOfCommit(ITEMS, 10, 1, 0xabc_def + commit));
    expect(new Set(parts.map(({ name }) => name)).size).toBe(10);
    expect(parts.flatMap(({ items }) => items).toSorted((left, right) => left - right)).toEqual(ITEMS);
    expect(partOfCommit(ITEMS, 10, 1, 7)).toEqual(partOfCommit(ITEMS, 10, 8, 0));
    expect(partOfCommit(ITEMS, 1, 1)).toEqual({ items: ITEMS, name: '1 of 1' });
  });

  it('follows the hash of the commit; without a repository, the seed alone', () => {
    const directory = createTemporaryDirectory();
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.test', ...args], {
        cwd: directory.path,
      }).toString();
    expect(commitNumber(directory.path)).toBe(0);
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'one');
    const hash = git('rev-parse', 'HEAD').trim();
    expect(commitNumber(directory.path).toString(16).padStart(8, '0')).toBe(hash.slice(0, 8));
    directory.remove();
  });
});
