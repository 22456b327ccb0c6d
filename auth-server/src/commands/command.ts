import type { CreatedFeatures } from '../app/create-features.ts';
import type { CommandLine } from './command-line.ts';

/** What a command works with. */
export interface CommandContext extends CreatedFeatures {
  readonly commandLine: CommandLine;
}

/** One command of the auth-server. */
export interface Command {
  /** How it is called, for the overview. */
  readonly usage: string;
  /** @throws UsageError, or Error with a message for the user at the terminal */
  readonly run: (args: readonly string[], context: CommandContext) => Promise<void>;
}
