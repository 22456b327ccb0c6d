import type { Session } from '../accounts/session-store.ts';
import type { RevocationReason } from '../audit/revocation-reason.ts';
import type { HasClock } from '../clock.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { LogoutFeatures } from '../logout/back-channel-logout.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';

/** What ends sessions. */
export type EndSessionFeatures = HasClock &
  Pick<AuditFeatures, 'audit'> &
  Pick<AccountFeatures, 'sessions'> &
  LogoutFeatures &
  Pick<GrantFeatures, 'revoker'>;

/** Sessions that one account may have. */
const MOST_SESSIONS = 50;
/** Sessions that are ended at the same time. */
const AT_ONCE = 20;

/**
 * Ends a session, and with it the grants that were not given `offline_access`. Its clients are notified. Nothing else
 * ends a session but its time.
 *
 * @see OpenID Connect Core §11, Back-Channel Logout §2.7
 */
export async function endSession(
  session: Pick<Session, 'sessionId' | 'subject'>,
  features: EndSessionFeatures,
  reason: RevocationReason = 'logout',
): Promise<void> {
  const { subject, sessionId } = session;
  const { clientIds, grants } = await features.sessions.end(subject, sessionId);
  await features.revoker.revokeMany(subject, grants, reason);
  await features.backChannelLogout.notify(session, clientIds);
  features.audit.record({ event: 'signed_out', subject });
}

/** Ends all sessions of an account, but the one named. Also those that begin meanwhile. */
export async function endSessionsOf(
  subject: string,
  features: EndSessionFeatures,
  { except, reason }: { readonly except?: string; readonly reason?: RevocationReason } = {},
): Promise<void> {
  const remaining = async (): Promise<readonly string[]> =>
    (await features.sessions.listIds(subject)).filter((sessionId) => sessionId !== except);
  for (let ids = await remaining(); ids.length > 0; ids = await remaining()) {
    await endAll(subject, ids, features, reason);
  }
}

/** Ends what an account has beyond the number of sessions that it may have: first those that have idled out, then the oldest. */
export async function endSurplusSessions(subject: string, features: EndSessionFeatures): Promise<void> {
  const { sessions, clock } = features;
  const ids = await sessions.listIds(subject);
  if (ids.length <= MOST_SESSIONS) return;
  const live = new Set((await sessions.list(subject, clock())).map(({ sessionId }) => sessionId));
  const surplus = ids.filter((id) => live.has(id)).slice(0, -MOST_SESSIONS);
  await endAll(subject, [...ids.filter((id) => !live.has(id)), ...surplus], features);
}

async function endAll(
  subject: string,
  ids: readonly string[],
  features: EndSessionFeatures,
  reason?: RevocationReason,
): Promise<void> {
  for (let first = 0; first < ids.length; first += AT_ONCE) {
    const some = ids.slice(first, first + AT_ONCE);
    await Promise.all(some.map((sessionId) => endSession({ sessionId, subject }, features, reason)));
  }
}
