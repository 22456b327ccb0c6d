import type { RevocationReason } from '../audit/revocation-reason.ts';
import { invalidGrant } from '../errors.ts';
import { allowedScopes, isGivenTo } from '../clients/registration-today.ts';
import type { Client } from '../clients/client-store.ts';
import type { Grant } from './grant-record.ts';
import type { GrantFeatures } from './grant-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';

/** What determines the scopes that a grant gives today. */
export type ScopesTodayFeatures = HasClock & HasSettings & Pick<AccountFeatures, 'sessions'>;

/** What ends a grant that is over. */
export type EndGrantFeatures = Pick<GrantFeatures, 'revoker'>;

/** What of a grant, or of the code that it begins with, depends on what is true today. */
export type GrantTerms = Pick<Grant, 'clientIncarnation' | 'scopes' | 'audience' | 'sessionId' | 'ofDevice'>;

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
  features: ScopesTodayFeatures,
): Promise<readonly string[] | undefined> {
  const scopes = scopesOfClient(terms, client, features);
  if (!scopes || !endsWithSession(scopes, terms)) return scopes;
  return (await isInSession(terms, features)) ? scopes : undefined;
}

/** The same without regard to the session, for those who ask for tokens: see {@link writeInSession} and {@link endOverGrant}. */
export function scopesOfClient(
  terms: Pick<GrantTerms, 'clientIncarnation' | 'scopes' | 'audience'>,
  client: Client,
  { settings }: HasSettings,
): readonly string[] | undefined {
  if (!isGivenTo(client, terms) || !settings.audiences.includes(terms.audience)) return undefined;
  const scopes = allowedScopes(terms.scopes, client, settings);
  return scopes.length === 0 ? undefined : scopes;
}

function isInSession(
  { sessionId }: Pick<GrantTerms, 'sessionId'>,
  { sessions, clock }: ScopesTodayFeatures,
): Promise<boolean> {
  return sessions.isLive(sessionId, clock());
}

/** Whether a grant with these scopes ends with the session of the browser. */
export function endsWithSession(
  scopes: readonly string[],
  { ofDevice }: Pick<GrantTerms, 'ofDevice'>,
): boolean {
  return !ofDevice && !scopes.includes('offline_access');
}

/**
 * Ends a grant for which {@link scopesOfClient} has nothing.
 *
 * @throws OAuthError invalid_grant, always
 */
export function endOverGrant(
  grantId: string,
  terms: Pick<GrantTerms, 'clientIncarnation'>,
  client: Client,
  features: EndGrantFeatures,
): Promise<never> {
  return endGrant(grantId, isGivenTo(client, terms) ? 'session_over' : 'client_removed', features);
}

/** What {@link writeInSession} needs. */
export interface WriteInSession<Result> {
  readonly grantId: string;
  /** Which the grant gives today. */
  readonly scopes: readonly string[];
  readonly terms: Pick<GrantTerms, 'sessionId' | 'ofDevice'>;
  readonly write: () => Promise<Result>;
}

/**
 * Does the write that goes before tokens, where the session that the grant ends with is live. The session is asked for with the
 * write and not before it, which saves a message: what was written is ended with the grant when there is no session.
 *
 * @throws OAuthError invalid_grant, and what the write throws
 */
export async function writeInSession<Result>(
  { grantId, scopes, terms, write }: WriteInSession<Result>,
  features: ScopesTodayFeatures & EndGrantFeatures,
): Promise<Result> {
  if (!endsWithSession(scopes, terms)) return write();
  const session = isInSession(terms, features);
  if (features.sessions.mayFailAlone && !(await session)) return endGrant(grantId, 'session_over', features);
  const [result, isLive] = await Promise.all([write(), session]);
  return isLive ? result : endGrant(grantId, 'session_over', features);
}

async function endGrant(
  grantId: string,
  reason: RevocationReason,
  { revoker }: EndGrantFeatures,
): Promise<never> {
  await revoker.revoke(grantId, reason);
  throw invalidGrant('the client, its scopes or the session are not what they were');
}
