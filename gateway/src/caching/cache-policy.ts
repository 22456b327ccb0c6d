import { LRUCache } from 'lru-cache';

/** How long a response may be stored, and by whom. */
export interface CachePolicy {
  /** Seconds. `Infinity`: nothing that it is made of says how long. */
  readonly maxAgeS: number;
  /** Whether only a cache of the one who asked may keep it. */
  readonly isPrivate: boolean;
}

/** Says nothing: the neutral element of {@link strictest}. */
export const UNRESTRICTED: CachePolicy = Object.freeze({
  maxAgeS: Number.POSITIVE_INFINITY,
  isPrivate: false,
});

/** It may not be stored. */
export const NOT_CACHEABLE: CachePolicy = Object.freeze({ maxAgeS: 0, isPrivate: false });

/** What holds for something that is made of both. */
export function strictest(first: CachePolicy, second: CachePolicy): CachePolicy {
  return {
    maxAgeS: Math.min(first.maxAgeS, second.maxAgeS),
    isPrivate: first.isPrivate || second.isPrivate,
  };
}

/** Whether any cache may store it for any time. */
export function isCacheable({ maxAgeS }: CachePolicy): boolean {
  return maxAgeS > 0 && Number.isFinite(maxAgeS);
}

/** The value of `Cache-Control`. RFC 9111 §5.2.2. */
export function writeCacheControl(policy: CachePolicy): string {
  if (!isCacheable(policy)) return 'no-store';
  return `${policy.isPrivate ? 'private' : 'public'}, max-age=${Math.floor(policy.maxAgeS)}`;
}

const REJECTIONS: ReadonlySet<string> = new Set(['no-store', 'no-cache']);

/**
 * Reads a `Cache-Control` of a subgraph. What is malformed forbids.
 *
 * @param header absent: a response that says nothing may not be stored
 * @see RFC 9111 §5.2.2
 */
export function readCacheControl(header: string | undefined): CachePolicy {
  const text = header ?? '';
  let policy = read.get(text);
  if (!policy) read.set(text, (policy = parseCacheControl(text)));
  return policy;
}

/** Subgraphs say the same with most of their responses. */
const read = new LRUCache<string, CachePolicy>({ max: 100 });

function parseCacheControl(text: string): CachePolicy {
  const directives = new Map(text.toLowerCase().split(',').map(readDirective));
  if ([...directives.keys()].some((name) => REJECTIONS.has(name))) return NOT_CACHEABLE;
  const maxAgeS = readSeconds(directives.get('s-maxage') ?? directives.get('max-age'));
  return { maxAgeS, isPrivate: directives.has('private') };
}

function readDirective(text: string): [string, string] {
  const [name = '', value = ''] = text.split('=');
  return [name.trim(), value.trim().replaceAll('"', '')];
}

function readSeconds(text: string | undefined): number {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : 0;
}
