import { isIPv6 } from 'node:net';

const GROUPS = 8;

/** @returns the eight groups of an address; nothing where the text is none. A zone is no part of it. */
export function parseIPv6(text: string): readonly number[] | undefined {
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = withoutDots(text).split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const zeros = Array.from({ length: GROUPS - left.length - right.length }, () => 0);
  return [...left, ...zeros, ...right];
}

/** The canonical text of eight groups. RFC 5952 §4: lower case, no leading zeros, the first longest run of zeros as `::`. */
export function textOfIPv6(groups: readonly number[]): string {
  const run = longestZeros(groups);
  if (run.length < 2) return hexOf(groups);
  return `${hexOf(groups.slice(0, run.start))}::${hexOf(groups.slice(run.start + run.length))}`;
}

/** The last 32 bits may be written like an IPv4 address. */
function withoutDots(text: string): string {
  if (!text.includes('.')) return text;
  const start = text.lastIndexOf(':') + 1;
  const [a = 0, b = 0, c = 0, d = 0] = text.slice(start).split('.').map(Number);
  return `${text.slice(0, start)}${hexOf([a * 256 + b, c * 256 + d])}`;
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function hexOf(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  groups.forEach((group, index) => {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: index - length + 1, length };
  });
  return longest;
}
