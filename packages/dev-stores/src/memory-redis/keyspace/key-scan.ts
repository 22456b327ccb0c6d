import type { Bytes } from '../bytes.ts';

/** One answer of SCAN. */
export interface ScanPage {
  /** Where to go on; 0 when that was all. */
  readonly cursor: number;
  readonly keys: readonly Bytes[];
}

/** What the scan needs to know of an entry: a number that grows in the order of the map. */
interface Sequenced {
  readonly sequence: number;
}

type Position<E> = IterableIterator<[Bytes, E]>;

const MAX_OPEN = 64;

/**
 * Pages through a map in the order of insertion. A cursor is the sequence of the last key seen, so it holds whatever is
 * added or deleted meanwhile. The iterators of the latest scans are kept, because a new one has to walk to its place.
 */
export class KeyScan<E extends Sequenced> {
  readonly #entries: ReadonlyMap<Bytes, E>;
  readonly #open = new Map<number, Position<E>>();

  constructor(entries: ReadonlyMap<Bytes, E>) {
    this.#entries = entries;
  }

  page(cursor: number, count: number): ScanPage {
    const position = this.#positionAfter(cursor);
    const keys: Bytes[] = [];
    while (keys.length < count) {
      const { value, done } = position.next();
      if (done === true) return { cursor: 0, keys };
      keys.push(value[0]);
      if (keys.length === count) return { cursor: this.#keep(value[1].sequence, position), keys };
    }
    return { cursor, keys };
  }

  #positionAfter(cursor: number): Position<E> {
    const kept = this.#open.get(cursor);
    this.#open.delete(cursor);
    if (kept !== undefined) return kept;
    const entries = this.#entries.entries();
    return cursor === 0 ? entries : entriesAfter(entries, cursor);
  }

  #keep(cursor: number, position: Position<E>): number {
    this.#open.delete(cursor);
    this.#open.set(cursor, position);
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return cursor;
  }
}

function* entriesAfter<E extends Sequenced>(
  entries: IterableIterator<[Bytes, E]>,
  cursor: number,
): Generator<[Bytes, E], undefined> {
  for (const entry of entries) if (entry[1].sequence > cursor) yield entry;
}
