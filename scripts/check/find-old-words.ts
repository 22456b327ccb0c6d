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

const texts: ReadonlySet<string> = new Set(
  ['ts', 'tsx', 'mjs', 'md', 'yaml', 'yml', 'sql', 'lua', 'graphql', 'eta', 'html', 'patch', 'sh', 'css'].map(
    (name) => `.${name}`,
  ),
);
/** The mark at the top of what `npm run generate` writes. */
const GENERATED = /Generated .*npm run generate/;
const pattern = new RegExp(`\\b(?:${oldWords.join('|')})\\b`);

/** Whether a line has an old word; those within names count as well. */
export function hasOldWord(line: string): boolean {
  const words = line.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_’'-]/g, ' ');
  return pattern.test(words.toLowerCase());
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
  return listed
    .split('\0')
    .filter((path) => (texts.has(extname(path)) || isCheckedData(path)) && !path.startsWith('pnpm-lock'));
}

function isCheckedData(path: string): boolean {
  return checkedData.some((pattern) => pattern.test(path));
}

/** What is generated has its words from its source. */
function linesOf(directory: string, path: string): readonly OldWord[] {
  const text = readFileSync(join(directory, path), 'utf8');
  if (GENERATED.test(text.slice(0, 300))) return [];
  const lines = isCheckedData(path) ? valuesOf(text) : text.split('\n');
  return [path, ...lines]
    .map((line, index) => ({ path, line: index, text: line }))
    .filter((found) => hasOldWord(found.text) && !isException(found));
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
