import { readAuthorizationRules } from '../operation/access/authorization-rules.ts';
import type { Requirement } from '../operation/access/requirement.ts';
import { readCacheHints, type CacheHint } from '../operation/cache-hints/cache-hints.ts';
import { readGraphAnnotations } from '../operation/limits/graph-annotations.ts';
import type { ListSize } from '../operation/limits/list-length.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';

/** What the gateway reads from a supergraph beside its shape, by coordinate, as it serves it. */
export interface OfflineMeaning {
  readonly rights: ReadonlyMap<string, Requirement>;
  readonly weights: ReadonlyMap<string, number>;
  readonly listSizes: ReadonlyMap<string, ListSize>;
  readonly depthAllowances: ReadonlyMap<string, number>;
  readonly caching: ReadonlyMap<string, CacheHint>;
  readonly sharedSubscriptions: ReadonlySet<string>;
}

/** Reads it, by the readers that requests are judged by. */
export function readGraphMeaning(supergraph: Supergraph): OfflineMeaning {
  const { weights, listSizes, depthAllowances } = readGraphAnnotations(supergraph);
  return {
    rights: readAuthorizationRules(supergraph.supergraphSchema).fields,
    weights,
    listSizes,
    depthAllowances,
    caching: readCacheHints(supergraph.supergraphSchema) ?? new Map<string, CacheHint>(),
    sharedSubscriptions: supergraph.sharedSubscriptions,
  };
}
