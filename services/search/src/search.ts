import type { Logger } from '@trellis/runtime';
import { findConnection, type Connection, type Page } from '@trellis/subgraph-kit';
import { cursorOfHit, type HitPlace } from './hit-cursor.ts';
import type { Hit } from './hit.ts';
import type { Owners } from './owners.ts';
import type { SearchIndex } from './search-index.ts';
import { verifyHits } from './verify-hits.ts';

/** Finds what exists now. */
export interface Search {
  /** The best matches. */
  list(text: string, count: number): Promise<readonly Hit[]>;
  /** A page of all matches. */
  connect(text: string, page: Page<HitPlace>): Promise<Connection<Hit>>;
}

/** What {@link createSearch} needs. */
export interface SearchOptions {
  readonly index: SearchIndex;
  readonly owners: Owners;
  readonly logger: Logger;
  /** Called with the number of hits found and not shown. */
  readonly onDropped: (count: number) => void;
}

/** Hits beyond those asked for, to take the place of those that are gone. */
const SPARE = 20;

/** More than the index ranks. */
const ALL = 10_000;

/** Looks in the index, and shows of what it finds what its owners still have. */
export function createSearch({ index, owners, logger, onDropped }: SearchOptions): Search {
  async function verify(hits: readonly Hit[]): Promise<readonly Hit[]> {
    const { alive, failures } = await verifyHits(hits, owners);
    for (const error of failures) logger.warn({ err: error }, 'owner unavailable; its hits are omitted');
    if (alive.length < hits.length) onDropped(hits.length - alive.length);
    return alive;
  }
  /** Where so many are gone that too few are left, all that follow are looked through: so a page is short only at the end. */
  async function find(text: string, page: Page<HitPlace>): Promise<readonly Hit[]> {
    const count = page.count + SPARE;
    const hits = await index.find(text, { ...page, count });
    const alive = await verify(hits);
    const last = hits.at(-1);
    if (alive.length >= page.count || hits.length < count || !last) return alive.slice(0, page.count);
    const rest = { ...page, count: ALL, [page.backward ? 'before' : 'after']: last };
    return [...alive, ...(await verify(await index.find(text, rest)))].slice(0, page.count);
  }
  return {
    list: async (text, count) => {
      if (count === 0) return [];
      const page = { count: count + SPARE, backward: false, after: undefined, before: undefined };
      return (await verify(await index.find(text, page))).slice(0, count);
    },
    connect: (text, page) => findConnection(page, (wanted) => find(text, wanted), cursorOfHit),
  };
}
