import type { Bytes } from '../bytes.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Reply } from '../protocol/reply.ts';
import type { Wait } from '../clients/blocked-clients.ts';
import type { Client } from '../clients/client.ts';
import type { Instance } from '../instance.ts';

/** One call of a command. */
export interface Call {
  /** What came after the command's name. */
  readonly args: readonly Bytes[];
  readonly client: Client;
  readonly keyspace: Keyspace;
  readonly instance: Instance;
  /** True in a script, where some commands answer another way. */
  readonly scripted: boolean;
}

/** What a command leads to: a reply, or waiting for one. */
export type Outcome = Reply | Wait;

/** What sets a command apart from others. */
export type CommandFlag =
  | 'noscript'
  /** May be called before authentication. */
  | 'no_auth';

/** A command that clients can call. */
export interface Command {
  /** Lower case. */
  readonly name: string;
  /** Words of a call, the name included; negative when that many or more. */
  readonly arity: number;
  readonly flags: readonly CommandFlag[];
  /** @throws RedisError with the reply */
  readonly run: (call: Call) => Outcome;
}

/** A command that is about keys. */
export function onKeys(name: string, arity: number, run: Command['run']): Command {
  return { name, arity, flags: [], run };
}

/** A command that is not about keys. */
export function plain(
  name: string,
  arity: number,
  run: Command['run'],
  flags: readonly CommandFlag[] = [],
): Command {
  return { name, arity, flags, run };
}

/** Whether a call with this many words, the name included, fits. */
export function acceptsArity({ arity }: Command, words: number): boolean {
  return arity >= 0 ? words === arity : words >= -arity;
}
