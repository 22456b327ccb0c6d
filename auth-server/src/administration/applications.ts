import { nowS, type HasClock } from '../clock.ts';
import { isGivenTo } from '../clients/registration-today.ts';
import type { Client } from '../clients/client-store.ts';
import type { Grant } from '../grants/grant-record.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';

/** What lists and ends what applications have. */
export type ApplicationFeatures = HasClock &
  Pick<AuditFeatures, 'audit'> &
  Pick<AccountFeatures, 'consents'> &
  Pick<ClientFeatures, 'clients'> &
  Pick<GrantFeatures, 'accountGrants' | 'grants' | 'revoker'>;

/** A client that has access to a user's account. */
export interface Application {
  readonly clientId: string;
  readonly clientName: string;
  /** What the user has allowed, and what grants that are live allow. */
  readonly scopes: readonly string[];
  readonly liveGrants: number;
  /** When it last got a token, seconds since 1970; undefined where no grant is live. */
  readonly usedAt: number | undefined;
}

/** A grant and its id. */
export interface GrantWithId extends Grant {
  readonly grantId: string;
  /** When a token was last issued for it, seconds since 1970. */
  readonly usedAt: number;
}

/** Most grants of a user that are looked at. */
const MOST_GRANTS = 500;

/** The live grants of an account, newest first. */
export async function listGrants(
  features: ApplicationFeatures,
  subject: string,
): Promise<readonly GrantWithId[]> {
  const listed = await features.accountGrants.list(subject, nowS(features));
  const all = await Promise.all(
    listed
      .slice(-MOST_GRANTS)
      .map(async ({ grantId }) => ({ grantId, found: await features.grants.findWithGeneration(grantId) })),
  );
  const live = all.flatMap(({ grantId, found }) =>
    found ? [{ ...found.grant, grantId, usedAt: found.rotatedAt }] : [],
  );
  const clients = await findClients(features, live);
  return live
    .filter((grant) => {
      const client = clients.get(grant.clientId);
      return client !== undefined && isGivenTo(client, grant);
    })
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

/** The clients of grants, by their ids; those that were removed are not among them. */
async function findClients(
  { clients }: ApplicationFeatures,
  grants: readonly Grant[],
): Promise<ReadonlyMap<string, Client>> {
  const ids = [...new Set(grants.map(({ clientId }) => clientId))];
  const found = await Promise.all(ids.map((clientId) => clients.find(clientId)));
  return new Map(found.flatMap((client) => (client ? [[client.metadata.client_id, client]] : [])));
}

/** The clients that a user has allowed something, or that have a live grant. */
export async function listApplications(
  features: ApplicationFeatures,
  subject: string,
): Promise<readonly Application[]> {
  const [consents, grants] = await Promise.all([
    features.consents.list(subject),
    listGrants(features, subject),
  ]);
  const clientIds = new Set([...consents, ...grants].map(({ clientId }) => clientId));
  return Promise.all(
    [...clientIds].map(async (clientId) => {
      const client = await features.clients.find(clientId);
      const concerned = [...consents, ...grants].filter((given) => given.clientId === clientId);
      const ofClient = grants.filter((grant) => grant.clientId === clientId);
      return {
        clientId,
        clientName: client?.metadata.client_name ?? clientId,
        scopes: [...new Set(concerned.flatMap(({ scopes }) => scopes))],
        liveGrants: ofClient.length,
        usedAt: ofClient.length === 0 ? undefined : Math.max(...ofClient.map(({ usedAt }) => usedAt)),
      };
    }),
  );
}

/** Forgets what a user has allowed a client, and ends the client's grants, offline ones too. */
export async function withdrawConsent(
  features: ApplicationFeatures,
  subject: string,
  clientId: string,
  address: string,
): Promise<void> {
  const { consents, revoker, audit } = features;
  await consents.remove(subject, clientId);
  audit.record({ event: 'consent_withdrawn', subject, clientId, address });
  await revoker.revokeOfAccount(subject, 'consent_withdrawn', (grant) => grant.clientId === clientId);
}
