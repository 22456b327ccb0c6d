import type { FastifyRequest } from 'fastify';
import type { Session } from '../accounts/session-store.ts';
import type { HasClock } from '../clock.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';

/** What sessions are read with. */
export type ReadSessionFeatures = HasClock &
  Pick<AccountFeatures, 'sessions'> &
  Pick<HttpFeatures, 'cookies'>;

/** The session of the browser that sent a request, if it has a live one; this counts as use of it. */
export async function readSession(
  features: ReadSessionFeatures,
  request: FastifyRequest,
): Promise<Session | undefined> {
  const cookie = features.cookies.readSession(request);
  return cookie === undefined ? undefined : features.sessions.touch(cookie, features.clock(), request.ip);
}
