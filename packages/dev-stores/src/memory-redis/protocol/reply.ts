import type { Bytes } from '../bytes.ts';

/**
 * What a command answers. A string is a bulk string, a number or bigint an integer, null the null bulk string, an array
 * an array; what RESP2 and RESP3 write differently, or is neither, is tagged.
 */
export type Reply = Bytes | number | bigint | null | readonly Reply[] | TaggedReply;

/** The replies that need a word on what they are. */
export type TaggedReply =
  | { readonly kind: 'status'; readonly text: Bytes }
  | { readonly kind: 'error'; readonly message: Bytes }
  /** RESP2: a bulk string. */
  | { readonly kind: 'double'; readonly value: number }
  /** RESP2: one array of names and values in turn, or, as XREAD does, one of pairs. */
  | { readonly kind: 'map'; readonly entries: readonly ReplyPair[]; readonly resp2: 'flat' | 'pairs' }
  /** RESP3: an array of pairs. RESP2: one flat array. */
  | { readonly kind: 'pairs'; readonly pairs: readonly ReplyPair[] }
  | { readonly kind: 'set'; readonly members: readonly Reply[] }
  /** What was not asked for: a message of a channel. RESP2: an array. */
  | { readonly kind: 'push'; readonly items: readonly Reply[] }
  | { readonly kind: 'nullArray' }
  /** A text for people. RESP2: a bulk string. */
  | { readonly kind: 'verbatim'; readonly text: Bytes }
  /** One after another, as SUBSCRIBE answers for each channel. */
  | { readonly kind: 'several'; readonly replies: readonly Reply[] };

/** A name and its value, or a member and its score. */
export type ReplyPair = readonly [Reply, Reply];

/** The response of what was done. */
export const OK: TaggedReply = { kind: 'status', text: 'OK' };

/** The response of a list or a wait that came to nothing. */
export const NULL_ARRAY: TaggedReply = { kind: 'nullArray' };

/** A line such as `PONG`. */
export function status(text: Bytes): TaggedReply {
  return { kind: 'status', text };
}

/** @param message with its code: `ERR …` */
export function errorReply(message: Bytes): TaggedReply {
  return { kind: 'error', message };
}

/** A floating point number, or null where there is none. */
export function double(value: number | undefined): Reply {
  return value === undefined ? null : { kind: 'double', value };
}

/** Names and values that RESP2 gets as one flat array. */
export function map(entries: readonly ReplyPair[]): TaggedReply {
  return { kind: 'map', entries, resp2: 'flat' };
}
