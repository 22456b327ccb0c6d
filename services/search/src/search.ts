import type { Logger } from '@trellis/runtime';
import type { Hit } from './hit.ts';
import type { Owners } from './owners.ts';
import type { SearchInput } from './search-input.ts';
import type { SearchIndex } from './search-index.ts';
import { verifyHits } from './verify-hits.ts';

/** Finds what exists now. */
export type Search = (input: SearchInput) => Promise<readonly Hit[]>;

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

/** Looks in the index, and shows of what it finds what its owners still have. */
export function createSearch({ index, owners, logger, onDropped }: SearchOptions): Search {
  return async ({ text, first }) => {
    if (first === 0) return [];
    const hits = await index.find(text, first + SPARE);
    const { alive, failures } = await verifyHits(hits, owners);
    for (const error of failures) logger.warn({ err: error }, 'owner unavailable; its hits are omitted');
    if (alive.length < hits.length) onDropped(hits.length - alive.length);
    return alive.slice(0, first);
  };
}
