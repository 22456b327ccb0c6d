import { text } from 'node:stream/consumers';
import type { ParseArgsConfig } from 'node:util';
import { parseFlags } from '@trellis/runtime/parse-flags';

/** What a command reads and writes. */
export interface CommandLine {
  /** Everything on standard input, to its end. */
  readonly readStdin: () => Promise<string>;
  /** Writes what was done, as a sentence; as an object with `--json`. */
  readonly report: (sentence: string, result: object) => void;
  /** Writes an object of the result, as JSON on a line. */
  readonly list: (result: object) => void;
  /** Writes a line about what went wrong. */
  readonly complain: (line: string) => void;
}

/** The standard streams of a process. */
export interface CommandStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** Lines on standard streams. @param isJson whether every result is an object */
export function createCommandLine({ stdin, stdout, stderr }: CommandStreams, isJson: boolean): CommandLine {
  const print = (line: string): void => void stdout.write(`${line}\n`);
  const list = (result: object): void => print(JSON.stringify(result));
  return {
    readStdin: () => text(stdin),
    report: (sentence, result) => (isJson ? list(result) : print(sentence)),
    list,
    complain: (line) => void stderr.write(`${line}\n`),
  };
}

/** A command was called in a way that it does not know. Its message is for the user at the terminal. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The options of a command: all take a text, but those that end in `-stdin`, which are flags. */
export type CommandOptions = Readonly<Record<string, string | undefined>>;

/**
 * Reads `--name value` and `--name=value`.
 *
 * @param names options that the command knows
 * @throws UsageError for anything else
 */
export function readOptions(args: readonly string[], names: readonly string[]): CommandOptions {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const name of names) options[name] = { type: name.endsWith('-stdin') ? 'boolean' : 'string' };
  try {
    const { values } = parseFlags({ args: [...args], options, strict: true, allowPositionals: false });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws UsageError when an option is missing */
export function requiredOption(options: CommandOptions, name: string): string {
  const value = options[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is needed.`);
  return value;
}
