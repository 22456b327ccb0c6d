import type { FastifyRequest } from 'fastify';
import type { Session } from '../accounts/session-store.ts';
import type { RouteContext } from './route-context.ts';

/** The session of the browser that sent a request, if it has a live one; this counts as use of it. */
export async function readSession(
  { services, cookies }: RouteContext,
  request: FastifyRequest,
): Promise<Session | undefined> {
  const cookie = cookies.readSession(request);
  return cookie === undefined ? undefined : services.sessions.touch(cookie, services.clock());
}
