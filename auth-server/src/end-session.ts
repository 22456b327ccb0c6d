import type { Services } from './services.ts';
import type { Session } from './stores/session-store.ts';

type EndSessionServices = Pick<Services, 'sessions' | 'grants' | 'codes' | 'revoker' | 'audit'>;

/** Ends a session, and with it the grants that were not given `offline_access`. OpenID Connect Core §11 */
export async function endSession(
  session: Session,
  cookie: string,
  services: EndSessionServices,
): Promise<void> {
  await services.sessions.end(cookie);
  await services.revoker.revokeOfAccount(session.subject, 'logout', (grantId) =>
    endsWithSession(grantId, session.sessionId, services),
  );
  services.audit.record({ event: 'signed_out', subject: session.subject });
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
