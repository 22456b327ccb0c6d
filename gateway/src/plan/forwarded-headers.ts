import type { HeaderMerge } from '../settings/headers.ts';

/** Of one response, whatever their length: browsers and proxies take no more than about a hundred. */
const MAX_LINES = 64;
/** The colon, the blank and the line break. */
const BYTES_OF_LINE = 4;
const COOKIE = 'set-cookie';

interface Entry {
  readonly merge: HeaderMerge;
  readonly values: readonly string[];
}

/** Headers of subgraphs for one client, in the order in which they came, within bounds. */
export class ForwardedHeaders {
  /** Names of those that found no room. */
  readonly dropped: Set<string> = new Set();
  readonly #entries = new Map<string, Entry>();
  readonly #maxBytes: number;
  #bytes = 0;
  #lines = 0;

  /** @param maxBytes of names and values together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Those of several results that go out in one response, in their order. */
  static merged(all: readonly ForwardedHeaders[]): ForwardedHeaders | undefined {
    const [first, ...others] = all;
    if (!first || others.length === 0) return first;
    const merged = new ForwardedHeaders(first.#maxBytes);
    for (const { dropped } of all) for (const name of dropped) merged.dropped.add(name);
    for (const headers of all)
      for (const [name, { merge, values }] of headers.#entries)
        for (const value of values) merged.add(name, value, merge);
    return merged;
  }

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** @param name in lower case */
  add(name: string, value: string, merge: HeaderMerge): void {
    const before = this.#entries.get(name);
    if (before && merge === 'first') return;
    if (before && merge === 'last') this.#remove(name, before);
    const bytes = name.length + value.length + BYTES_OF_LINE;
    if (this.#lines >= MAX_LINES || this.#bytes + bytes > this.#maxBytes) {
      this.dropped.add(name);
      return;
    }
    this.#bytes += bytes;
    this.#lines += 1;
    const values = before && merge === 'append' ? [...before.values, value] : [value];
    this.#entries.set(name, { merge, values });
  }

  /** As they go out: each cookie is a line of its own, other lists are one line. RFC 9110 §5.3. */
  lines(): Readonly<Record<string, string | readonly string[]>> {
    return Object.fromEntries(
      [...this.#entries].map(([name, { values }]) => [name, name === COOKIE ? values : values.join(', ')]),
    );
  }

  #remove(name: string, { values }: Entry): void {
    for (const value of values) this.#bytes -= name.length + value.length + BYTES_OF_LINE;
    this.#lines -= values.length;
    this.#entries.delete(name);
  }
}
