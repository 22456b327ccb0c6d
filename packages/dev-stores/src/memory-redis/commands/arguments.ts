import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import { parseDouble } from '../values/double.ts';
import { parseInteger, type Integer } from '../values/integer.ts';

/** @throws RedisError `ERR syntax error` when there is no such argument */
export function argument(args: readonly Bytes[], index: number): Bytes {
  const value = args[index];
  if (value === undefined) throw new RedisError(messages.syntax);
  return value;
}

/**
 * An integer of 64 bits.
 *
 * @throws RedisError with `message` for anything else
 */
export function integerArgument(text: Bytes, message: string = messages.notInteger): Integer {
  const value = parseInteger(text);
  if (value === undefined) throw new RedisError(message);
  return value;
}

/** An integer as a number: a count or an index, where what lies beyond 2^53 is beyond everything. */
export function numberArgument(text: Bytes, message?: string): number {
  return Number(integerArgument(text, message));
}

/** @throws RedisError with `message` when it is not a floating point number */
export function doubleArgument(text: Bytes, message: string = messages.notFloat): number {
  const value = parseDouble(text);
  if (value === undefined) throw new RedisError(message);
  return value;
}

/** Reads arguments one after another, as options come in any order. */
export class ArgumentReader {
  readonly #args: readonly Bytes[];
  #position: number;

  constructor(args: readonly Bytes[], position: number) {
    this.#args = args;
    this.#position = position;
  }

  get done(): boolean {
    return this.#position >= this.#args.length;
  }

  get remaining(): number {
    return this.#args.length - this.#position;
  }

  /** @throws RedisError `ERR syntax error` at the end */
  next(): Bytes {
    const value = argument(this.#args, this.#position);
    this.#position += 1;
    return value;
  }

  /** The next argument in upper case: the name of an option. */
  option(): string {
    return this.next().toUpperCase();
  }

  /** Goes past the next argument if it is this option, in upper case. */
  skip(option: string): boolean {
    if (this.#args[this.#position]?.toUpperCase() !== option) return false;
    this.#position += 1;
    return true;
  }

  /** All that is left. */
  rest(): readonly Bytes[] {
    return this.#args.slice(this.#position);
  }
}

/** A part of a sequence of a length: negative positions count from its end, both ends belong to it. */
export interface IndexRange {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

/** @returns an empty range when nothing of the sequence lies in it */
export function indexRange(start: number, stop: number, length: number): IndexRange {
  const from = Math.max(0, start < 0 ? start + length : start);
  const to = Math.min(length, (stop < 0 ? stop + length : stop) + 1);
  return from < to ? { from, to } : { from: 0, to: 0 };
}
