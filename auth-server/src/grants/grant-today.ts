import { invalidGrant } from '../errors.ts';
import { allowedScopes, isGivenTo } from '../clients/registration-today.ts';
import type { Services } from '../app/services.ts';
import type { Client } from '../clients/client-store.ts';
import type { Grant } from './grant-record.ts';

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
  const { settings, sessions, clock } = services;
  if (!isGivenTo(client, terms) || !settings.audiences.includes(terms.audience)) return undefined;
  const scopes = allowedScopes(terms.scopes, client, settings);
  if (scopes.length === 0) return undefined;
  if (!endsWithSession({ ...terms, scopes })) return scopes;
  return (await sessions.find(terms.sessionId, clock())) ? scopes : undefined;
}

/** Whether a grant with these scopes ends with the session of the browser. */
export function endsWithSession({ scopes, ofDevice }: Pick<GrantTerms, 'scopes' | 'ofDevice'>): boolean {
  return !ofDevice && !scopes.includes('offline_access');
}

/**
 * The same, for those who ask for tokens. A grant that is over is ended.
 *
 * @throws OAuthError invalid_grant
 */
export async function requireScopesToday(
  grantId: string,
  terms: GrantTerms,
  client: Client,
  services: TodayServices & Pick<Services, 'revoker'>,
): Promise<readonly string[]> {
  const scopes = await scopesToday(terms, client, services);
  if (scopes) return scopes;
  await services.revoker.revoke(grantId, isGivenTo(client, terms) ? 'session_over' : 'client_removed');
  throw invalidGrant('the client, its scopes or the session are not what they were');
}
