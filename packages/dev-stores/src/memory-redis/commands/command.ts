import type { Bytes } from '../bytes.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Reply } from '../protocol/reply.ts';
import type { Wait } from '../server/blocked-clients.ts';
import type { Client } from '../server/client.ts';
import type { Instance } from '../server/instance.ts';

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

/** What sets a command apart from others; the names are those of COMMAND INFO. */
export type CommandFlag =
  | 'write'
  | 'readonly'
  | 'noscript'
  | 'blocking'
  | 'pubsub'
  /** May be called before the password was told. */
  | 'no_auth'
  /** Runs at once, in a transaction, too. */
  | 'no_multi'
  | 'admin';

/** Which of the arguments are keys, counted from 1; `last` -1 means to the end. */
export interface KeyPositions {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/** A command that clients can call. */
export interface Command {
  /** Lower case. */
  readonly name: string;
  /** Words of a call, the name included; negative when that many or more. */
  readonly arity: number;
  readonly flags: readonly CommandFlag[];
  readonly keys: KeyPositions;
  /** @throws RedisError with the reply */
  readonly run: (call: Call) => Outcome;
}

/** The first argument is the key. */
export const ONE_KEY: KeyPositions = { first: 1, last: 1, step: 1 };
/** All arguments are keys. */
export const ALL_KEYS: KeyPositions = { first: 1, last: -1, step: 1 };
/** The first two arguments are keys. */
export const TWO_KEYS: KeyPositions = { first: 1, last: 2, step: 1 };
/** Keys and values in turn. */
export const KEYS_AND_VALUES: KeyPositions = { first: 1, last: -1, step: 2 };
/** No argument is a key, or which ones are depends on the others. */
export const NO_KEYS: KeyPositions = { first: 0, last: 0, step: 0 };

/** A command that only looks at keys. */
export function reads(
  name: string,
  arity: number,
  run: Command['run'],
  keys: KeyPositions = ONE_KEY,
): Command {
  return { name, arity, flags: ['readonly'], keys, run };
}

/** A command that may change keys. */
export function writes(
  name: string,
  arity: number,
  run: Command['run'],
  keys: KeyPositions = ONE_KEY,
): Command {
  return { name, arity, flags: ['write'], keys, run };
}

/** A command that is not about keys. */
export function plain(
  name: string,
  arity: number,
  run: Command['run'],
  flags: readonly CommandFlag[] = [],
): Command {
  return { name, arity, flags, keys: NO_KEYS, run };
}

/** Whether a call with this many words, the name included, fits. */
export function acceptsArity({ arity }: Command, words: number): boolean {
  return arity >= 0 ? words === arity : words >= -arity;
}
