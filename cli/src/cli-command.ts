import type { Command } from 'commander';

/** A command of `trellis`, with all that it needs loaded. */
export interface CliCommand {
  readonly command: Command;
  /** What may follow its name, for commands that read the rest of the line themselves: `accounts add`. */
  readonly phrases?: readonly string[];
  /** What `--help` prints, for the same. */
  readonly help?: () => string;
}

/** A command before it is loaded: the code of a deployable is read only for the command that runs it. */
export interface CliCommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The page of docs/ that is about it: `composition.md`. */
  readonly page: string;
  /** What its exit statuses mean, beside 0 and `EXIT_USAGE`, which all have. */
  readonly exits: Readonly<Record<number, string>>;
  /** What `--json` prints as JSON on standard output; absent where a command has no result. */
  readonly json?: string;
  readonly load: () => Promise<CliCommand>;
}
