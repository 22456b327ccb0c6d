import type { Bytes } from '../bytes.ts';
import { map, status, type Reply } from '../protocol/reply.ts';
import { clientCommands } from './clients.ts';
import { plain, type Call, type Command } from './command.ts';
import { connectionCommands } from './connection.ts';
import { counterCommands } from './counters.ts';
import { expiryCommands } from './expiry.ts';
import { hashCommands } from './hashes.ts';
import { keyCommands } from './keys.ts';
import { listCommands } from './lists.ts';
import { pubSubCommands } from './pub-sub.ts';
import { scriptCommands } from './scripts.ts';
import { serverCommands } from './server.ts';
import { setAlgebraCommands } from './set-algebra.ts';
import { setCommands } from './sets.ts';
import { sortedSetRangeCommands } from './sorted-set-ranges.ts';
import { sortedSetCommands } from './sorted-sets.ts';
import { streamCommands } from './streams.ts';
import { stringCommands } from './strings.ts';
import { subcommands } from './subcommands.ts';
import { transactionCommands } from './transactions.ts';

const commands: ReadonlyMap<string, Command> = new Map(
  [
    ...connectionCommands,
    ...clientCommands,
    ...serverCommands,
    plain('command', -1, tellCommands),
    ...keyCommands,
    ...expiryCommands,
    ...stringCommands,
    ...counterCommands,
    ...hashCommands,
    ...setCommands,
    ...setAlgebraCommands,
    ...sortedSetCommands,
    ...sortedSetRangeCommands,
    ...listCommands,
    ...streamCommands,
    ...pubSubCommands,
    ...transactionCommands,
    ...scriptCommands,
  ].map((command) => [command.name, command]),
);

const tellPart = subcommands(
  'command',
  new Map([
    ['count', { arity: 2, run: () => commands.size }],
    ['list', { arity: 2, run: () => [...commands.keys()] }],
    ['info', { arity: -2, run: ({ args }: Call) => describeNamed(args.slice(1)) }],
    ['docs', { arity: -2, run: () => map([]) }],
  ]),
);

/** @param name in any case */
export function findCommand(name: Bytes): Command | undefined {
  return commands.get(name) ?? commands.get(name.toLowerCase());
}

/** COMMAND: what can be called, and how. */
function tellCommands(call: Call): ReturnType<Command['run']> {
  return call.args.length === 0 ? [...commands.values()].map(describe) : tellPart(call);
}

function describeNamed(names: readonly Bytes[]): Reply {
  if (names.length === 0) return [...commands.values()].map(describe);
  return names.map((name) => {
    const command = findCommand(name);
    return command === undefined ? null : describe(command);
  });
}

/** The last four, which clients seldom ask for, are empty: categories, tips, key specifications, subcommands. */
function describe({ name, arity, flags, keys }: Command): Reply {
  const flagSet: Reply = { kind: 'set', members: flags.map(status) };
  return [name, arity, flagSet, keys.first, keys.last, keys.step, { kind: 'set', members: [] }, [], [], []];
}
