import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Longer names are compared no further: the work grows with the square of the length. */
const MAX_COMPARED = 64;

/**
 * Reads options and arguments as `parseArgs` of Node does, and names the option that a mistyped one resembles.
 *
 * @throws Error with a message for the user at the terminal
 */
export function parseFlags<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Error(explain(error, Object.keys(config.options ?? {})), { cause: error });
  }
}

/** Node's message, less its advice on arguments that begin with a dash. */
function explain(error: unknown, names: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /^Unknown option '(-{1,2}[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  const flags = names.map((name) => `--${name}`);
  return `There is no option "${unknown}".${didYouMean(unknown, flags)}`;
}

/**
 * Suggests the name that a mistyped one resembles most.
 *
 * @returns ` Did you mean "start"?`, with a space before it; empty where none comes near
 */
export function didYouMean(given: string, names: Iterable<string>): string {
  const best = closestName(given, names);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}

/** The nearest name within two fifths of its length in edits; of equals the first. */
function closestName(given: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const name of names) {
    const edits = editsBetween(given.toLowerCase().slice(0, MAX_COMPARED), name.toLowerCase());
    if (edits >= least || edits > Math.max(1, Math.floor(bareLength(name) * 0.4))) continue;
    [best, least] = [name, edits];
  }
  return best;
}

function bareLength(name: string): number {
  return name.replace(/^--/, '').length;
}

/** Insertions, deletions, substitutions and swaps of neighbors that make one text from another (optimal string alignment). */
function editsBetween(from: string, to: string): number {
  let twoAbove: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current: number[] = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(above, column) + 1,
          at(current, column - 1) + 1,
          at(above, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(twoAbove, column - 2) + 1 : Infinity,
        ),
      );
    }
    [twoAbove, above] = [above, current];
  }
  return at(above, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
