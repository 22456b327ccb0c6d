import type { Change } from './change.ts';
import { compareCaching } from './compare-caching.ts';
import { compareCosts } from './compare-costs.ts';
import { compareRights } from './compare-rights.ts';
import { compareSharedSubscriptions } from './compare-subscriptions.ts';
import type { ReadGraph } from './graph-meaning.ts';

/** Compares what a gateway makes of two graphs, for what clients see of both. */
export function compareMeanings(before: ReadGraph, after: ReadGraph): readonly Change[] {
  return [
    ...compareRights(before, after),
    ...compareCosts(before, after),
    ...compareCaching(before, after),
    ...compareSharedSubscriptions(before.meaning, after.meaning),
  ];
}
