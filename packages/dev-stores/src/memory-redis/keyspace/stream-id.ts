/** Both halves of an id of a stream in one number: the milliseconds above, the sequence in the lower 64 bits. */
export type StreamId = bigint;

const HALF = 64n;
const HALF_MAX = 2n ** HALF - 1n;
const DIGITS = /^\d{1,20}$/;

/** Below every entry. */
export const FIRST_ID: StreamId = 0n;
/** Not below any entry. */
export const LAST_ID: StreamId = 2n ** 128n - 1n;

/** Joins the halves: two numbers from 0 to 2^64 - 1. */
export function streamId(milliseconds: bigint, sequence: bigint): StreamId {
  return (milliseconds << HALF) | sequence;
}

/** The half above: milliseconds since 1970, where the server made the id. */
export function millisecondsOf(id: StreamId): bigint {
  return id >> HALF;
}

/** The half below. */
export function sequenceOf(id: StreamId): bigint {
  return id & HALF_MAX;
}

/** `1700000000000-0` */
export function formatStreamId(id: StreamId): string {
  return `${millisecondsOf(id)}-${sequenceOf(id)}`;
}

/**
 * Reads `ms-seq`, or `ms` alone.
 *
 * @param missing the sequence where it is left out: 0 at the start of a range, the highest at its end
 * @returns undefined for what is no id
 */
export function parseStreamId(text: string, missing: 'lowest' | 'highest'): StreamId | undefined {
  const dash = text.indexOf('-');
  const above = parseHalf(dash < 0 ? text : text.slice(0, dash));
  const below = dash < 0 ? (missing === 'lowest' ? 0n : HALF_MAX) : parseHalf(text.slice(dash + 1));
  return above === undefined || below === undefined ? undefined : streamId(above, below);
}

/** Reads one half of an id: an unsigned integer of 64 bits. */
export function parseHalf(text: string): bigint | undefined {
  if (!DIGITS.test(text)) return undefined;
  const value = BigInt(text);
  return value <= HALF_MAX ? value : undefined;
}
