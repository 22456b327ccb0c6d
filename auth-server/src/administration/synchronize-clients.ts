import type { Client, ClientSource } from '../clients/client-store.ts';
import { keepClient, type ClientAdministration } from './clients.ts';
import { endClient } from './end-client.ts';

/**
 * Makes the clients of one source be these: others of that source are ended, others with these ids taken over. What is the
 * same already is left alone.
 */
export async function synchronizeClients(
  administration: ClientAdministration,
  source: ClientSource,
  clients: readonly Client[],
): Promise<void> {
  const declared = new Set(clients.map(({ metadata }) => metadata.client_id));
  for (const { metadata, source: owner } of await administration.clientStore.list()) {
    const clientId = metadata.client_id;
    if (owner === source && !declared.has(clientId)) await endClient(administration, clientId);
  }
  for (const client of clients) await keepClient(administration, client);
}
