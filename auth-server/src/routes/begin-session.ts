import type { FastifyReply, FastifyRequest } from 'fastify';
import { canonicalEmail } from '../accounts/canonical-email.ts';
import { honoursSignInAt, type Account } from '../accounts/accounts.ts';
import { endSession, endSurplusSessions, type EndSessionFeatures } from '../administration/end-session.ts';
import { describeBrowser } from '../http/describe-browser.ts';
import { isMacOf, macOf, randomToken, sha256, type Keys } from '../secrets/secrets.ts';
import type { Session } from '../accounts/session-store.ts';
import { readSession, type ReadSessionFeatures } from './read-session.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';

/** What sessions begin with. */
export type BeginSessionFeatures = HasSettings &
  Pick<AccountFeatures, 'sessions'> &
  Pick<HttpFeatures, 'cookies' | 'csrfKeys'> &
  EndSessionFeatures &
  ReadSessionFeatures;

/** Who has signed in, and when, milliseconds since 1970. */
interface SignedIn {
  readonly account: Account;
  readonly authenticatedAt: number;
}

/**
 * What signing in does to the session of the browser. The same user goes on with it: it has been authenticated again, and
 * what applications got through it stays. Another user begins one, and the one before ends whole.
 *
 * @see OpenID Connect Core §3.1.2.3
 */
export async function beginSession(
  features: BeginSessionFeatures,
  { account, authenticatedAt }: SignedIn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Session> {
  const previous = await readSession(features, request);
  const goesOn = previous?.subject === account.id && honoursSignInAt(account, previous.authenticatedAt);
  if (previous && !goesOn) await endSession(previous, features);
  const session = {
    sessionId: goesOn ? previous.sessionId : randomToken(16),
    subject: account.id,
    authenticatedAt,
    browser: describeBrowser(request.headers['user-agent'] ?? ''),
  };
  features.cookies.writeSession(reply, await features.sessions.save(session), features.settings.sessionTtlS);
  if (!goesOn) await endSurplusSessions(account.id, features);
  rememberBrowser(features, account.email, reply);
  return session;
}

/** Makes the browser one that the account knows. */
export function rememberBrowser(features: BeginSessionFeatures, email: string, reply: FastifyReply): void {
  features.cookies.writeKnownBrowser(reply, knownBrowserToken(features.csrfKeys[0], email));
}

/** `id.mac`: the browser is known for this account alone. */
function knownBrowserToken(key: Buffer, email: string): string {
  const id = randomToken(12);
  return `${id}.${knownBrowserMac(key, id, email)}`;
}

/** Proves that a browser is known for an account. */
function knownBrowserMac(key: Buffer, id: string, email: string): string {
  return macOf(key, 'known-browser', id, sha256(canonicalEmail(email)));
}

/** Whether a MAC proves that a browser is known for an account. */
export function isKnownBrowserMac(keys: Keys, mac: string, id: string, email: string): boolean {
  return isMacOf(keys, mac, 'known-browser', id, sha256(canonicalEmail(email)));
}
