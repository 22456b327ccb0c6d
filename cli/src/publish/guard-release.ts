import { proveWindow, reasons } from '@trellis/composition';
import { readServedGraph } from '../supergraph/served-graph.ts';
import { windowSide } from '../supergraph/window-side.ts';
import type { PublishedGraph } from '../registry/published-graph.ts';

/** A subgraph that does not serve a release as it runs now. */
export interface GuardViolation {
  readonly subgraph: string;
  readonly reason: string;
}

/**
 * Proves that the subgraphs that run serve a release: each fetch of its plans is checked against the schemas of the subgraphs that
 * run.
 *
 * @param current what the environment serves now
 * @param running the schema of each subgraph that runs
 * @returns nothing where they do
 */
export async function guardRelease(
  target: Pick<PublishedGraph, 'supergraphSdl' | 'subgraphs'>,
  current: Pick<PublishedGraph, 'supergraphSdl'>,
  running: ReadonlyMap<string, string>,
): Promise<readonly GuardViolation[]> {
  const own = new Map(target.subgraphs.map(({ name, sdl }) => [name, sdl]));
  const before = windowSide(readServedGraph(current.supergraphSdl, undefined), running);
  const after = windowSide(readServedGraph(target.supergraphSdl, undefined), own);
  const proof = await proveWindow(before, after, undefined);
  const orders = proof?.subgraphs.filter(({ deployFirst }) => deployFirst.length > 0) ?? [];
  return orders.map(({ subgraph, deployFirst }) => ({ subgraph, reason: reasons(deployFirst) }));
}
