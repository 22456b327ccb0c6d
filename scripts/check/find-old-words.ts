import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { areas, checkedData, oldWords, wordExceptions, type Area } from './word-list.ts';

/** A line with an old word. */
export interface OldWord {
  /** Relative to the repository. */
  readonly path: string;
  /** From 1; 0 for the name of the file. */
  readonly line: number;
  readonly text: string;
}

/** How an area stands. */
export interface AreaCount extends Area {
  readonly found: readonly OldWord[];
}

/** Ends of names; without one are `.ci/run` and `NOTICE`. */
const texts: ReadonlySet<string> = new Set([
  '',
  '.ts',
  '.tsx',
  '.mts',
  '.js',
  '.mjs',
  '.cjs',
  '.java',
  '.lua',
  '.sh',
  '.sql',
  '.graphql',
  '.md',
  '.yaml',
  '.yml',
  '.eta',
  '.html',
  '.css',
  '.patch',
]);
/** The mark at the top of what `npm run generate` writes. */
const GENERATED = /Generated .*npm run generate/;
const pattern = new RegExp(`\\b(?:${oldWords.join('|')})\\b`, 'g');
/** What stands before the words of a line: the mark of a comment or of a quotation, or a quote. */
const MARK = /^(?:\/{2,}|\/?\*+\/?|#+|--|>|['"`])?\s*/;
/** The end of a line whose text goes on in the next. */
const GOES_ON = /['"`]\s*\+$/;

/** Whether a line has an old word; those within names count as well. */
export function hasOldWord(line: string): boolean {
  return wordsOf(line).search(pattern) >= 0;
}

function wordsOf(line: string): string {
  const words = line.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_’'-]/g, ' ');
  return words.toLowerCase();
}

/**
 * Old words in lines that follow one another. A phrase may be broken over two of them: marks of comments and indentation do not part
 * it. An empty line does, and so does the mark of a list.
 *
 * @returns each line in which one begins, once
 */
export function findOldWords(lines: readonly string[]): readonly Omit<OldWord, 'path'>[] {
  const bare = lines.map((line) => wordsOf(line.trim().replace(MARK, '').replace(GOES_ON, '')).trimEnd());
  const starts: number[] = [];
  let next = 0;
  for (const words of bare) {
    starts.push(next);
    next += words.length + 1;
  }
  const lineAt = (place: number): number => starts.findLastIndex((start) => start <= place);
  const found = new Map<number, string>();
  for (const { 0: words, index } of bare.join(' ').matchAll(pattern)) {
    const first = lineAt(index);
    const text = lines.slice(first, lineAt(index + words.length - 1) + 1).map((line) => line.trim());
    if (!found.has(first)) found.set(first, text.join(' '));
  }
  return [...found].map(([first, text]) => ({ line: first + 1, text }));
}

/** Lines of the repository's tracked texts that have an old word, without the exceptions, by area. */
export function countOldWords(directory: string): readonly AreaCount[] {
  const found = trackedTexts(directory).flatMap((path) => linesOf(directory, path));
  const areaOf = ({ path }: OldWord): Area | undefined =>
    areas.find(({ paths }) => paths.some((start) => path.startsWith(start)));
  return areas.map((area) => ({ ...area, found: found.filter((word) => areaOf(word) === area) }));
}

function trackedTexts(directory: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: directory, encoding: 'utf8' });
  return listed.split('\0').filter((path) => path !== '' && isChecked(path));
}

/** Whether the words of a file are ours; those of what else is tracked are data. */
export function isChecked(path: string): boolean {
  return (texts.has(extname(path)) && !path.endsWith('pnpm-lock.yaml')) || isCheckedData(path);
}

function isCheckedData(path: string): boolean {
  return checkedData.some((pattern) => pattern.test(path));
}

/** What is generated has its words from its source. */
function linesOf(directory: string, path: string): readonly OldWord[] {
  const text = readFileSync(join(directory, path), 'utf8');
  if (GENERATED.test(text.slice(0, 300))) return [];
  const lines = isCheckedData(path) ? valuesOf(text) : text.split('\n');
  const ofName = hasOldWord(path) ? [{ line: 0, text: path }] : [];
  return [...ofName, ...findOldWords(lines)]
    .map((found) => ({ path, ...found }))
    .filter((found) => !isException(found));
}

/** The lines of JSON without their keys: names of before, which the values replace. */
export function valuesOf(json: string): readonly string[] {
  return json.split('\n').map((line) => line.replace(/^\s*"(?:[^"\\]|\\.)*":/, ''));
}

function isException(found: OldWord): boolean {
  return wordExceptions.some(({ path, text }) => path === found.path && found.text.includes(text));
}

/** Whether each area is within its bound. */
export function judgeOldWords(counts: readonly AreaCount[]): {
  readonly passed: boolean;
  readonly output: string;
  readonly figures: string;
} {
  const beyond = counts.filter(({ found, atMost }) => found.length > atMost);
  const format = ({ path, line, text }: OldWord): string => `${path}:${line}: ${text.trim()}\n`;
  const left = counts.reduce((sum, { found }) => sum + found.length, 0);
  return {
    passed: beyond.length === 0,
    output: beyond.flatMap(({ found }) => found.map(format)).join(''),
    figures: `${left} lines left`,
  };
}
