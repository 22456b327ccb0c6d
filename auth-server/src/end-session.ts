import type { Services } from './services.ts';
import type { ListedSession, Session } from './stores/session-store.ts';
import { sha256 } from './secrets.ts';

type EndSessionServices = Pick<
  Services,
  'sessions' | 'grants' | 'codes' | 'revoker' | 'backChannelLogout' | 'audit' | 'clock'
>;

/** Ends the session of a browser. See {@link endListedSession}. */
export function endSession(session: Session, cookie: string, services: EndSessionServices): Promise<void> {
  return endListedSession({ ...session, key: sha256(cookie) }, services);
}

/**
 * Ends a session, and with it the grants that were not given `offline_access`. Clients that knew of it are told.
 *
 * @see OpenID Connect Core §11, Back-Channel Logout §2.7
 */
export async function endListedSession(session: ListedSession, services: EndSessionServices): Promise<void> {
  const { subject, sessionId, key } = session;
  await services.sessions.endByKey(subject, key);
  await services.revoker.revokeOfAccount(subject, 'logout', (grantId) =>
    endsWithSession(grantId, sessionId, services),
  );
  await services.backChannelLogout.announce(session);
  services.audit.record({ event: 'signed_out', subject });
}

/** Ends all sessions of an account, but the one named. */
export async function endSessionsOf(
  subject: string,
  services: EndSessionServices,
  exceptKey?: string,
): Promise<void> {
  const sessions = await services.sessions.list(subject, services.clock());
  for (const session of sessions) if (session.key !== exceptKey) await endListedSession(session, services);
}

/** A grant that has begun, or a code that has not been exchanged yet. */
async function endsWithSession(
  grantId: string,
  sessionId: string,
  { grants, codes }: EndSessionServices,
): Promise<boolean> {
  const found = (await grants.find(grantId)) ?? (await codes.find(grantId))?.contents;
  return found?.sessionId === sessionId && !found.scopes.includes('offline_access');
}
