import { composeSubgraphs, formatDiagnostic } from '@trellis/composition';
import { readServedGraph, type ServedGraph } from '../src/supergraph/served-graph.ts';
import type { Schemas } from './change-pairs/change-pair.ts';

/** Composes schemas, and reads the graph as a gateway does. @throws Error where they do not compose */
export function serveSchemas(schemas: Schemas, urls: Schemas = {}, settingsFile?: string): ServedGraph {
  const composition = composeSubgraphs(
    Object.entries(schemas).map(([name, sdl]) => ({
      name,
      routingUrl: urls[name] ?? `http://${name}.example`,
      sdl,
      source: name,
    })),
  );
  if (composition.kind === 'failed') throw new Error(composition.errors.map(formatDiagnostic).join('\n'));
  return readServedGraph(composition.supergraphSdl, settingsFile);
}
