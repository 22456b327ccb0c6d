import type { Bytes } from '../bytes.ts';
import { formatFloat } from './c-numbers.ts';

const DECIMAL = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*$/;
const HEXADECIMAL = /^\s*([+-]?)0[xX]([0-9a-fA-F]+)\s*$/;
const SPECIAL = /^\s*([+-]?)(inf|infinity|nan)\s*$/i;
const SHORT_INTEGER = 1e14;

/** A number as Lua 5.1 turns it into a string: `%.14g`. */
export function formatLuaNumber(value: number): string {
  const short = Number.isInteger(value) && Math.abs(value) < SHORT_INTEGER && !Object.is(value, -0);
  return short ? String(value) : formatFloat(value, 'g', { flags: '', width: 0, precision: 14 });
}

/** A string as Lua 5.1 turns it into a number: decimal or hexadecimal, blanks around it. */
export function parseLuaNumber(text: Bytes): number | undefined {
  const decimal = DECIMAL.exec(text)?.[1];
  if (decimal !== undefined) return Number(decimal);
  const [, sign, digits] = HEXADECIMAL.exec(text) ?? SPECIAL.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const size = specialNumber(digits.toLowerCase()) ?? Number.parseInt(digits, 16);
  return sign === '-' ? -size : size;
}

function specialNumber(name: string): number | undefined {
  if (name === 'nan') return Number.NaN;
  return name.startsWith('inf') ? Infinity : undefined;
}
