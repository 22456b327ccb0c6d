import type { SourceLocation } from '../diagnostic.ts';

/** Texts by the name that locations give them. */
export type Sources = ReadonlyMap<string, string>;

const MAX_COLUMNS = 160;

/**
 * The line of a location, with a mark under its column.
 *
 * @example
 *   2 |   me: Missing
 *     |       ^
 */
export function excerptOf({ source, line, column }: SourceLocation, sources: Sources): readonly string[] {
  const text = line === undefined ? undefined : sources.get(source)?.split(/\r?\n/)[line - 1];
  if (text === undefined || line === undefined) return [];
  const shown = printable(text.slice(0, MAX_COLUMNS));
  const number = String(line);
  const mark =
    column === undefined || column > MAX_COLUMNS
      ? []
      : [`  ${' '.repeat(number.length)} | ${' '.repeat(column - 1)}^`];
  return [`  ${number} | ${shown}`, ...mark];
}

/**
 * Text for a terminal or a log: what would move the cursor or change the direction of writing is written out, and what would be a command
 * to the runner of a pipeline: `::error::` at the beginning of a line, `##[` and `##vso[` anywhere.
 */
export function printable(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
      character === '\n' ? character : written(character),
    )
    .replaceAll(
      /^([^\S\n]*)(:)(?=:)|(#)(?=#(?:\[|vso\[))/gim,
      (_all, indent = '', colon = '', hash = '') =>
        `${String(indent)}${written(`${String(colon)}${String(hash)}`)}`,
    );
}

/** Text from outside that is part of a line: it begins none of its own. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', written);
}

function written(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
