import { invalidGrant } from '../errors.ts';
import { allowedScopes, isGivenTo } from '../clients/registration-today.ts';
import type { Services } from '../app/services.ts';
import type { Client } from '../clients/client-store.ts';
import type { Grant } from './grant-record.ts';
import type { Session } from '../accounts/session-store.ts';

/** What of a grant, or of the code that it begins with, depends on what is true today. */
export type GrantTerms = Pick<Grant, 'clientIncarnation' | 'scopes' | 'audience' | 'sessionId' | 'ofDevice'>;

type TodayServices = Pick<Services, 'settings' | 'sessions' | 'clock'>;

/**
 * The scopes that a grant gives today: those granted that the client is still registered for and that this server still
 * knows. Undefined where the grant is over: it is of a registration that was removed, for a resource that is not served any
 * more, or of a session that has ended and did not include `offline_access`.
 *
 * @see OpenID Connect Core §11
 */
export async function scopesToday(
  terms: GrantTerms,
  client: Client,
  services: TodayServices,
): Promise<readonly string[] | undefined> {
  const scopes = scopesOfClient(terms, client, services);
  if (!scopes || !endsWithSession({ ...terms, scopes })) return scopes;
  return (await findSession(terms, services)) && scopes;
}

/** Without regard to the session. */
function scopesOfClient(
  terms: GrantTerms,
  client: Client,
  { settings }: TodayServices,
): readonly string[] | undefined {
  if (!isGivenTo(client, terms) || !settings.audiences.includes(terms.audience)) return undefined;
  const scopes = allowedScopes(terms.scopes, client, settings);
  return scopes.length === 0 ? undefined : scopes;
}

function findSession(
  { sessionId }: GrantTerms,
  { sessions, clock }: TodayServices,
): Promise<Session | undefined> {
  return sessions.find(sessionId, clock());
}

/** Whether a grant with these scopes ends with the session of the browser. */
export function endsWithSession({ scopes, ofDevice }: Pick<GrantTerms, 'scopes' | 'ofDevice'>): boolean {
  return !ofDevice && !scopes.includes('offline_access');
}

/** What a grant gives today, and the client as it is today. */
export interface GrantToday {
  readonly client: Client;
  readonly scopes: readonly string[];
}

/**
 * The same, for those who ask for tokens. A grant that is over is ended. Client and session are read at the same time.
 *
 * @throws OAuthError invalid_grant, and what `clientToday` throws
 */
export async function requireToday(
  grantId: string,
  terms: GrantTerms,
  clientToday: () => Promise<Client>,
  services: TodayServices & Pick<Services, 'revoker'>,
): Promise<GrantToday> {
  const isBound = endsWithSession(terms);
  const [client, session] = await Promise.all([
    clientToday(),
    isBound ? findSession(terms, services) : undefined,
  ]);
  const isOver = isBound && session === undefined;
  // A client may have lost `offline_access` since: then the session matters after all.
  const lookUp = isBound ? scopesOfClient : scopesToday;
  const scopes = isOver ? undefined : await lookUp(terms, client, services);
  if (scopes) return { client, scopes };
  await services.revoker.revoke(grantId, isGivenTo(client, terms) ? 'session_over' : 'client_removed');
  throw invalidGrant('the client, its scopes or the session are not what they were');
}
