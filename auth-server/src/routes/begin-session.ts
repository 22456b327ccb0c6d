import type { FastifyReply, FastifyRequest } from 'fastify';
import { canonicalEmail } from '../canonical-email.ts';
import type { Account } from '../accounts.ts';
import { describeBrowser } from '../http/describe-browser.ts';
import { isMacOf, macOf, randomToken, sha256, type Keys } from '../secrets.ts';
import type { Session } from '../stores/session-store.ts';
import type { RouteContext } from './route-context.ts';

/** A new session each time somebody signs in, and the end of the one that the browser had. */
export async function beginSession(
  { services, cookies }: RouteContext,
  account: Account,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Session> {
  const session = {
    sessionId: randomToken(16),
    subject: account.id,
    authenticatedAt: services.clock(),
    browser: describeBrowser(request.headers['user-agent'] ?? ''),
  };
  const previous = cookies.readSession(request);
  if (previous !== undefined) await services.sessions.end(previous);
  cookies.writeSession(reply, await services.sessions.create(session), services.settings.sessionTtlS);
  cookies.writeKnownBrowser(reply, knownBrowserToken(services.csrfKeys[0], account.email));
  return session;
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
