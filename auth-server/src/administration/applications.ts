import { nowS } from '../clock.ts';
import type { Services } from '../app/services.ts';
import { isGivenTo } from '../clients/registration-today.ts';
import type { Client } from '../clients/client-store.ts';
import type { Grant } from '../grants/grant-record.ts';

/** A client that has access to a person's account. */
export interface Application {
  readonly clientId: string;
  readonly clientName: string;
  /** What the person has allowed, and what grants that are live allow. */
  readonly scopes: readonly string[];
  readonly liveGrants: number;
}

/** A grant and its id. */
export interface GrantWithId extends Grant {
  readonly grantId: string;
}

/** Most grants of a person that are looked at. */
const MOST_GRANTS = 500;

/** The live grants of an account, newest first. */
export async function listGrants(services: Services, subject: string): Promise<readonly GrantWithId[]> {
  const listed = await services.accountGrants.list(subject, nowS(services));
  const found = await Promise.all(
    listed
      .slice(-MOST_GRANTS)
      .map(async ({ grantId }) => ({ grantId, grant: await services.grants.find(grantId) })),
  );
  const live = found.flatMap(({ grantId, grant }) => (grant ? [{ ...grant, grantId }] : []));
  const clients = await findClients(services, live);
  return live
    .filter((grant) => {
      const client = clients.get(grant.clientId);
      return client !== undefined && isGivenTo(client, grant);
    })
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

/** The clients of grants, by their ids; those that were removed are not among them. */
async function findClients(
  { clients }: Services,
  grants: readonly Grant[],
): Promise<ReadonlyMap<string, Client>> {
  const ids = [...new Set(grants.map(({ clientId }) => clientId))];
  const found = await Promise.all(ids.map((clientId) => clients.find(clientId)));
  return new Map(found.flatMap((client) => (client ? [[client.metadata.client_id, client]] : [])));
}

/** The clients that a person has allowed something, or that have a live grant. */
export async function listApplications(services: Services, subject: string): Promise<readonly Application[]> {
  const [consents, grants] = await Promise.all([
    services.consents.list(subject),
    listGrants(services, subject),
  ]);
  const clientIds = new Set([...consents, ...grants].map(({ clientId }) => clientId));
  return Promise.all(
    [...clientIds].map(async (clientId) => {
      const client = await services.clients.find(clientId);
      const concerned = [...consents, ...grants].filter((given) => given.clientId === clientId);
      return {
        clientId,
        clientName: client?.metadata.client_name ?? clientId,
        scopes: [...new Set(concerned.flatMap(({ scopes }) => scopes))],
        liveGrants: grants.filter((grant) => grant.clientId === clientId).length,
      };
    }),
  );
}

/** Forgets what a person has allowed a client, and ends the client's grants, offline ones too. */
export async function withdrawConsent(
  services: Services,
  subject: string,
  clientId: string,
  address: string,
): Promise<void> {
  const { consents, revoker, audit } = services;
  await consents.remove(subject, clientId);
  audit.record({ event: 'consent_withdrawn', subject, clientId, address });
  await revoker.revokeOfAccount(subject, 'consent_withdrawn', (grant) => grant.clientId === clientId);
}
