import type { Bytes } from '../bytes.ts';

/**
 * Says whether a text matches a pattern of KEYS, SCAN and PSUBSCRIBE: `?` one byte, `*` any number, `[a-z]` and `[^a]` one
 * of a class, `\` takes the next byte as it is. Time grows with the product of both lengths at worst, never faster.
 */
export function matchesGlob(pattern: Bytes, text: Bytes): boolean {
  let at = 0;
  let position = 0;
  let star = -1;
  let starText = 0;
  while (position < text.length) {
    if (pattern.charAt(at) === '*') {
      star = at;
      starText = position;
      at += 1;
      continue;
    }
    const next = at < pattern.length ? matchOne(pattern, at, text.charAt(position)) : -1;
    if (next >= 0) {
      at = next;
      position += 1;
    } else if (star >= 0) {
      // Only the last star need give way: what an earlier one swallowed is matched already.
      starText += 1;
      position = starText;
      at = star + 1;
    } else return false;
  }
  while (pattern.charAt(at) === '*') at += 1;
  return at >= pattern.length;
}

/** @returns where the pattern goes on, or -1 when this byte does not match */
function matchOne(pattern: Bytes, at: number, byte: Bytes): number {
  const sign = pattern.charAt(at);
  if (sign === '?') return at + 1;
  if (sign === '[') return matchClass(pattern, at + 1, byte);
  const literal = sign === '\\' && at + 1 < pattern.length ? at + 1 : at;
  return pattern.charAt(literal) === byte ? literal + 1 : -1;
}

function matchClass(pattern: Bytes, from: number, byte: Bytes): number {
  const negated = pattern.charAt(from) === '^';
  let at = negated ? from + 1 : from;
  let found = false;
  while (at < pattern.length && pattern.charAt(at) !== ']') {
    const item = classItem(pattern, at);
    if (byte >= item.low && byte <= item.high) found = true;
    at = item.end;
  }
  return found === negated ? -1 : at + 1;
}

function classItem(pattern: Bytes, at: number): { low: Bytes; high: Bytes; end: number } {
  const start = pattern.charAt(at) === '\\' && at + 1 < pattern.length ? at + 1 : at;
  const first = pattern.charAt(start);
  if (start > at || pattern.charAt(at + 1) !== '-' || at + 2 >= pattern.length)
    return { low: first, high: first, end: start + 1 };
  const last = pattern.charAt(at + 2);
  return first <= last ? { low: first, high: last, end: at + 3 } : { low: last, high: first, end: at + 3 };
}
