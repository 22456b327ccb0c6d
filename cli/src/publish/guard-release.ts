import { problemOfSubgraph, proveWindow, reasons } from '@trellis/composition';
import { RegistryError } from '@trellis/registry';
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
 * run. Of a subgraph that nothing is known of, the version of the environment and that of the release may both run: the release serves
 * with its own, so it is the other that is proved.
 *
 * @param current what the environment serves now
 * @param known the schemas of subgraphs as they run
 * @returns nothing where they do
 * @throws RegistryError INVALID_NAME where one of these schemas is none
 */
export async function guardRelease(
  target: Pick<PublishedGraph, 'supergraphSdl' | 'subgraphs'>,
  current: Pick<PublishedGraph, 'supergraphSdl' | 'subgraphs'>,
  known: ReadonlyMap<string, string>,
): Promise<readonly GuardViolation[]> {
  assertSchemas(known);
  const running = new Map([...schemasOf(current), ...known]);
  const before = windowSide(readServedGraph(current.supergraphSdl, undefined), running);
  const after = windowSide(readServedGraph(target.supergraphSdl, undefined), schemasOf(target));
  const proof = await proveWindow(before, after, undefined);
  const orders = proof?.subgraphs.filter(({ deployFirst }) => deployFirst.length > 0) ?? [];
  return orders.map(({ subgraph, deployFirst }) => ({ subgraph, reason: reasons(deployFirst) }));
}

function schemasOf({ subgraphs }: Pick<PublishedGraph, 'subgraphs'>): ReadonlyMap<string, string> {
  return new Map(subgraphs.map(({ name, sdl }) => [name, sdl]));
}

function assertSchemas(known: ReadonlyMap<string, string>): void {
  for (const [name, sdl] of known) {
    const problem = problemOfSubgraph(sdl);
    if (problem !== undefined)
      throw new RegistryError('INVALID_NAME', `The schema of ${name} as it runs is invalid: ${problem}`);
  }
}
