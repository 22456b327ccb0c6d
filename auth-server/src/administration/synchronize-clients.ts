import type { Client, ClientSource } from '../clients/client-store.ts';
import { keepClient, type ClientAdministrationFeatures } from './clients.ts';
import { endClient, type EndClientFeatures } from './end-client.ts';
import type { ClientFeatures } from '../clients/client-features.ts';

/** What makes clients be those that are declared. */
export type SynchronizeClientsFeatures = Pick<ClientFeatures, 'clientStore'> &
  ClientAdministrationFeatures &
  EndClientFeatures;

/**
 * Makes the clients of one source be these: others of that source are ended, others with these ids become its own. What is the
 * same already is left alone.
 */
export async function synchronizeClients(
  features: SynchronizeClientsFeatures,
  source: ClientSource,
  clients: readonly Client[],
): Promise<void> {
  const declared = new Set(clients.map(({ metadata }) => metadata.client_id));
  for (const { metadata, source: owner } of await features.clientStore.list()) {
    const clientId = metadata.client_id;
    if (owner === source && !declared.has(clientId)) await endClient(features, clientId);
  }
  for (const client of clients) await keepClient(features, client);
}
