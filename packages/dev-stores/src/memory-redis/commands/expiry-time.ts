import type { Bytes } from '../bytes.ts';
import { invalidExpiry, RedisError } from '../errors.ts';
import { addIntegers, multiplyIntegers, type Integer } from '../values/integer.ts';
import { integerArgument } from './arguments.ts';

/** How a time is given: from now on or since 1970, in seconds or milliseconds. */
export interface TimeUnit {
  readonly relative: boolean;
  readonly milliseconds: number;
}

/** The options of SET and GETEX, and the last letters of the commands. */
export const timeUnits: ReadonlyMap<string, TimeUnit> = new Map([
  ['EX', { relative: true, milliseconds: 1_000 }],
  ['PX', { relative: true, milliseconds: 1 }],
  ['EXAT', { relative: false, milliseconds: 1_000 }],
  ['PXAT', { relative: false, milliseconds: 1 }],
]);

/**
 * The moment that an argument names, in milliseconds since 1970.
 *
 * @param now milliseconds since 1970
 * @param command named in the error
 * @throws RedisError when it is no integer, or lies beyond 64 bits
 */
export function expiryTime(text: Bytes, unit: TimeUnit, now: number, command: string): number {
  const time = toMilliseconds(integerArgument(text), unit, now);
  if (time === undefined) throw invalidExpiry(command);
  return Number(time);
}

/**
 * The same for the commands that set a value: there a time of 0 or less is a mistake.
 *
 * @throws RedisError also when the number is not positive
 */
export function positiveExpiryTime(text: Bytes, unit: TimeUnit, now: number, command: string): number {
  const amount = integerArgument(text);
  if (amount <= 0) throw invalidExpiry(command);
  const time = toMilliseconds(amount, unit, now);
  if (time === undefined) throw invalidExpiry(command);
  return Number(time);
}

/** @throws RedisError when the option is unknown to EXPIRE and its kin */
export function expiryCondition(
  options: readonly Bytes[],
): (current: number | undefined, wanted: number) => boolean {
  const given = new Set(options.map(knownCondition));
  if (given.has('NX') && given.size > 1)
    throw new RedisError('ERR NX and XX, GT or LT options at the same time are not compatible');
  if (given.has('GT') && given.has('LT'))
    throw new RedisError('ERR GT and LT options at the same time are not compatible');
  return (current, wanted) => {
    if (given.has('NX') && current !== undefined) return false;
    if (given.has('XX') && current === undefined) return false;
    // What never expires counts as infinitely late.
    if (given.has('GT') && (current === undefined || wanted <= current)) return false;
    return !(given.has('LT') && current !== undefined && wanted >= current);
  };
}

function knownCondition(option: Bytes): string {
  const name = option.toUpperCase();
  if (!['NX', 'XX', 'GT', 'LT'].includes(name)) throw new RedisError(`ERR Unsupported option ${option}`);
  return name;
}

function toMilliseconds(amount: Integer, unit: TimeUnit, now: number): Integer | undefined {
  const span = multiplyIntegers(amount, unit.milliseconds);
  return span === undefined || !unit.relative ? span : addIntegers(span, now);
}
