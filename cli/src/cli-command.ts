import type { Command } from 'commander';

/** A command of `trellis`, with all that it needs loaded. */
export interface CliCommand {
  readonly command: Command;
  /** What may follow its name, for commands that read the rest of the line themselves: `accounts add`. */
  readonly phrases?: readonly string[];
}

/** A command before it is loaded: the code of a deployable is read only for the command that runs it. */
export interface CliCommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<CliCommand>;
}
