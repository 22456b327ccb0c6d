import { SupergraphDocument, type ComparableGraph } from '@trellis/composition';
import { OfflineGraph, readOfflineSettings } from '@trellis/gateway/offline';

/** A supergraph as a gateway with these settings serves it. */
export interface ServedGraph {
  readonly comparable: ComparableGraph;
  readonly graph: OfflineGraph;
  /** Arguments that are taken for the length of a list. */
  readonly slicingArguments: readonly string[];
}

/**
 * Reads a supergraph by the gateway's own readers.
 *
 * @param settingsFile a `gateway.yaml`; absent: the defaults
 * @param isComposedHere whether the text comes straight from composition, and is not validated again
 * @throws InvalidSupergraph
 */
export function readServedGraph(
  supergraphSdl: string,
  settingsFile: string | undefined,
  isComposedHere = false,
): ServedGraph {
  const settings = readOfflineSettings(settingsFile, process.env);
  const graph = new OfflineGraph(supergraphSdl, settings, isComposedHere);
  const limits = Object.entries(settings.limits).filter(([, value]) => typeof value === 'number');
  return {
    graph,
    slicingArguments: settings.cost.slicingArguments,
    comparable: {
      supergraph: new SupergraphDocument(supergraphSdl),
      apiSchema: graph.schema,
      meaning: graph.meaning,
      gateway: {
        limits: Object.fromEntries(limits) as Record<string, number>,
        transports: settings.transports,
      },
    },
  };
}
