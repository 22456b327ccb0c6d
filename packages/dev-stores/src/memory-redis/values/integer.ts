/** A signed integer of 64 bits: a number where that is exact, else a bigint. */
export type Integer = number | bigint;

const SHORT = /^(?:0|-?[1-9]\d{0,14})$/;
const LONG = /^-?[1-9]\d{15,18}$/;
const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** Reads a decimal as strictly as Redis: no sign `+`, no leading zero, no blank, nothing beyond 64 bits. */
export function parseInteger(text: string): Integer | undefined {
  if (SHORT.test(text)) return Number(text);
  return LONG.test(text) ? inRange(BigInt(text)) : undefined;
}

/** @returns undefined when the sum does not fit in 64 bits */
export function addIntegers(left: Integer, right: Integer): Integer | undefined {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return inRange(BigInt(left) + BigInt(right));
}

/** @returns undefined when the product does not fit in 64 bits */
export function multiplyIntegers(left: Integer, right: Integer): Integer | undefined {
  return inRange(BigInt(left) * BigInt(right));
}

function inRange(value: bigint): Integer | undefined {
  if (value < MIN || value > MAX) return undefined;
  const short = Number(value);
  return Number.isSafeInteger(short) ? short : value;
}
