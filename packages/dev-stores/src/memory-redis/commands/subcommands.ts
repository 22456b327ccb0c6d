import { unknownSubcommand, wrongArity } from '../errors.ts';
import { argument } from './arguments.ts';
import type { Call, Command, Outcome } from './command.ts';

/** One of the commands behind a common first word. */
export interface Subcommand {
  /** Words of a call, both names included; negative when that many or more. */
  readonly arity: number;
  /** Its arguments begin with the subcommand's own name. */
  readonly run: (call: Call) => Outcome;
}

/**
 * Chooses by the second word.
 *
 * @param command lower case
 * @param table by names in lower case
 */
export function subcommands(command: string, table: ReadonlyMap<string, Subcommand>): Command['run'] {
  return (call) => {
    const given = argument(call.args, 0);
    const subcommand = table.get(given.toLowerCase());
    if (subcommand === undefined) throw unknownSubcommand(command.toUpperCase(), given);
    const words = call.args.length + 1;
    const { arity } = subcommand;
    if (arity >= 0 ? words !== arity : words < -arity) throw wrongArity(`${command}|${given.toLowerCase()}`);
    return subcommand.run(call);
  };
}
