import type { Bytes } from '../bytes.ts';
import { clientCommands } from './clients.ts';
import type { Command } from './command.ts';
import { connectionCommands } from './connection.ts';
import { counterCommands } from './counters.ts';
import { expiryCommands } from './expiry.ts';
import { keyCommands } from './keys.ts';
import { pubSubCommands } from './pub-sub.ts';
import { scriptCommands } from './scripts.ts';
import { serverCommands } from './server.ts';
import { setCommands } from './sets.ts';
import { sortedSetRangeCommands } from './sorted-set-ranges.ts';
import { sortedSetCommands } from './sorted-sets.ts';
import { streamCommands } from './streams.ts';
import { stringCommands } from './strings.ts';

/** What can be called, by name: what the product uses, what its client sends when it connects, and what tests look with. */
export const commands: ReadonlyMap<string, Command> = new Map(
  [
    ...connectionCommands,
    ...clientCommands,
    ...serverCommands,
    ...keyCommands,
    ...expiryCommands,
    ...stringCommands,
    ...counterCommands,
    ...setCommands,
    ...sortedSetCommands,
    ...sortedSetRangeCommands,
    ...streamCommands,
    ...pubSubCommands,
    ...scriptCommands,
  ].map((command) => [command.name, command]),
);

/** @param name in any case */
export function findCommand(name: Bytes): Command | undefined {
  return commands.get(name) ?? commands.get(name.toLowerCase());
}
