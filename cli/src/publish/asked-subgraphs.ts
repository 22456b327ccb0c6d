import { formatLogName, verifyLog, type LogName, type VerifiedHead } from '@trellis/registry';
import { readPublishedGraph } from '../registry/published-graph.ts';
import type { RegistryAccess } from '../registry/registry-access.ts';
import type { AskedSubgraph } from './ask-schemas.ts';

/**
 * The subgraphs that an environment serves, each at its address there; and others that come to it.
 *
 * @param coming at the addresses that they come with, where the environment does not have them
 * @throws RegistryError
 */
export async function askedSubgraphs(
  access: RegistryAccess,
  log: LogName,
  coming: readonly { readonly name: string; readonly routingUrl?: string | undefined }[],
  signal: AbortSignal,
): Promise<readonly AskedSubgraph[]> {
  const head = await verifyLog(access.store, log, access.trust, { signal });
  const served = head ? await servedSubgraphs(access, log, head, signal) : [];
  const known = new Set(served.map(({ name }) => name));
  const others = coming.flatMap(({ name, routingUrl }) =>
    routingUrl !== undefined && !known.has(name) ? [{ name, routingUrl }] : [],
  );
  return [...served, ...others];
}

async function servedSubgraphs(
  { store }: RegistryAccess,
  log: LogName,
  { record }: VerifiedHead,
  signal: AbortSignal,
): Promise<readonly AskedSubgraph[]> {
  const { subgraphs } = await readPublishedGraph(store, record.release, formatLogName(log), signal);
  const addresses = new Map(record.routing.map(({ subgraph, url }) => [subgraph, url]));
  return subgraphs.map(({ name, routingUrl }) => ({ name, routingUrl: addresses.get(name) ?? routingUrl }));
}
