import type { RevocationReason } from '../audit/revocation-reason.ts';
import { invalidGrant } from '../errors.ts';
import { allowedScopes, isGivenTo } from '../clients/registration-today.ts';
import type { Client } from '../clients/client-store.ts';
import type { Grant } from './grant-record.ts';
import type { Session } from '../accounts/session-store.ts';
import type { GrantFeatures } from './grant-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';

/** What tells which scopes a grant gives today. */
export type ScopesTodayFeatures = HasClock & HasSettings & Pick<AccountFeatures, 'sessions'>;

/** What ends a grant that is over beside that. */
export type RequireScopesFeatures = ScopesTodayFeatures & Pick<GrantFeatures, 'revoker'>;

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
  if (!scopes || !endsWithSession({ ...terms, scopes })) return scopes;
  return (await findSession(terms, features)) && scopes;
}

/** Without regard to the session. */
function scopesOfClient(
  terms: GrantTerms,
  client: Client,
  { settings }: ScopesTodayFeatures,
): readonly string[] | undefined {
  if (!isGivenTo(client, terms) || !settings.audiences.includes(terms.audience)) return undefined;
  const scopes = allowedScopes(terms.scopes, client, settings);
  return scopes.length === 0 ? undefined : scopes;
}

function findSession(
  { sessionId }: GrantTerms,
  { sessions, clock }: ScopesTodayFeatures,
): Promise<Session | undefined> {
  return sessions.find(sessionId, clock());
}

/** Whether a grant with these scopes ends with the session of the browser. */
export function endsWithSession({ scopes, ofDevice }: Pick<GrantTerms, 'scopes' | 'ofDevice'>): boolean {
  return !ofDevice && !scopes.includes('offline_access');
}

/**
 * The same, for those who ask for tokens, without regard to the session. A grant that is over is ended.
 *
 * @throws OAuthError invalid_grant
 */
export async function requireScopesToday(
  grantId: string,
  terms: GrantTerms,
  client: Client,
  features: RequireScopesFeatures,
): Promise<readonly string[]> {
  const scopes = scopesOfClient(terms, client, features);
  if (scopes) return scopes;
  return endGrant(grantId, isGivenTo(client, terms) ? 'session_over' : 'client_removed', features);
}

/**
 * Does the write that goes before tokens, where the session that the grant ends with is live. The session is asked for with the
 * write and not before it, which saves a message: what was written is ended with the grant when there is no session.
 *
 * @param terms with the scopes that the grant gives today
 * @throws OAuthError invalid_grant, and what the write throws
 */
export async function writeInSession<Result>(
  grantId: string,
  terms: GrantTerms,
  write: () => Promise<Result>,
  features: RequireScopesFeatures,
): Promise<Result> {
  if (!endsWithSession(terms)) return write();
  const session = requireSession(grantId, terms, features);
  if (features.sessions.mayFailAlone) await session;
  const [result] = await Promise.all([write(), session]);
  return result;
}

async function requireSession(
  grantId: string,
  terms: GrantTerms,
  features: RequireScopesFeatures,
): Promise<void> {
  if (!(await findSession(terms, features))) await endGrant(grantId, 'session_over', features);
}

async function endGrant(
  grantId: string,
  reason: RevocationReason,
  { revoker }: Pick<GrantFeatures, 'revoker'>,
): Promise<never> {
  await revoker.revoke(grantId, reason);
  throw invalidGrant('the client, its scopes or the session are not what they were');
}
