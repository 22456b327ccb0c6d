import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The target ends at a space, at `|` or at the bracket: a text may follow. */
const LINK = /\{@link(?:code|plain)?\s+([^\s|}]+)/gu;
const URL_START = /^[a-z]+:/u;

/**
 * Finds links of comments whose target has no such name in their file: editors can't follow them.
 *
 * @param directory the repository
 * @returns what is wrong, one sentence each
 */
export function checkLinks(directory: string): readonly string[] {
  const options = { cwd: directory, encoding: 'utf8', maxBuffer: 2 ** 24 } as const;
  return execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.mjs'], options)
    .split('\0')
    .filter((path) => path !== '')
    .flatMap((path) => findDeadLinks(path, readFileSync(join(directory, path), 'utf8')));
}

/** @returns what is wrong in one file, one sentence each */
export function findDeadLinks(path: string, text: string): readonly string[] {
  if (!text.includes('{@link')) return [];
  const { comments } = parseSync(path, text);
  const starts = [0, ...comments.map(({ end }) => end)];
  const code = starts.map((start, index) => text.slice(start, comments[index]?.start)).join(' ');
  const names = new Set(code.match(/[\w$]+/gu));
  return comments.flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(LINK)].flatMap(({ 1: target = '', index }) => {
      const [, name = ''] = /^#?([\w$]*)/u.exec(target) ?? [];
      if (URL_START.test(target) || names.has(name)) return [];
      const line = text.slice(0, start + index).split('\n').length;
      return [`${path}:${line} links to ${target}, a name that the file does not have.`];
    }),
  );
}
