import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTitles, type TestTitle } from './read-titles.ts';

/** A test and the file that defines it, relative to the repository. */
export interface FiledTitle extends TestTitle {
  readonly file: string;
}

/** Programs that only run tests define none. */
const DEFINES_TESTS = /from 'vitest'/;
const MAX_BYTES = 256 * 1_024 * 1_024;

/**
 * Every test of a repository, by file and line: of all TypeScript that imports vitest, so of shared suites as well.
 *
 * @param revision of git. Default: the working tree
 */
export function listTitles(directory: string, revision?: string): readonly FiledTitle[] {
  const files = revision === undefined ? readWorkingTree(directory) : readRevision(directory, revision);
  return files
    .filter(({ text }) => DEFINES_TESTS.test(text))
    .flatMap(({ file, text }) => readTitles(file, text).map((title) => ({ ...title, file })));
}

interface SourceFile {
  readonly file: string;
  readonly text: string;
}

function readWorkingTree(directory: string): readonly SourceFile[] {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.ts', '*.tsx'];
  return split(git(directory, listed))
    .filter((file) => existsSync(join(directory, file)))
    .map((file) => ({ file, text: readFileSync(join(directory, file), 'utf8') }));
}

/** `git grep` first, because a revision has many files without tests. */
function readRevision(directory: string, revision: string): readonly SourceFile[] {
  const found = ['grep', '-z', '--name-only', '-e', 'vitest', revision, '--', '*.ts', '*.tsx'];
  return split(git(directory, found)).map((object) => ({
    file: object.slice(object.indexOf(':') + 1),
    text: git(directory, ['show', object]),
  }));
}

function split(listed: string): readonly string[] {
  return listed.split('\0').filter((name) => name !== '');
}

function git(directory: string, args: readonly string[]): string {
  return execFileSync('git', args, { cwd: directory, encoding: 'utf8', maxBuffer: MAX_BYTES });
}
