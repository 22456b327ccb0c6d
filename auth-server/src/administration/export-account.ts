import type { Account } from '../accounts/accounts.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { HasClock } from '../clock.ts';
import { listApplications, type ApplicationFeatures } from './applications.ts';
import { listOwnEvents, type OwnEventFeatures } from './own-events.ts';

/** What an export is made from. */
export type ExportAccountFeatures = HasClock &
  Pick<AccountFeatures, 'sessions' | 'identities'> &
  Pick<AuditFeatures, 'audit'> &
  ApplicationFeatures &
  OwnEventFeatures;

/** Most events in an export. */
const MOST_EVENTS = 10_000;

/** All that is stored here about a user, but the hash of the password, in the words of OpenID Connect where it has some. */
export async function exportAccount(
  features: ExportAccountFeatures,
  account: Account,
): Promise<Readonly<Record<string, unknown>>> {
  const { id, email, emailVerified, name, role, claims, updatedAt } = account;
  const [sessions, applications, identities, events] = await Promise.all([
    features.sessions.list(id, features.clock()),
    listApplications(features, id),
    features.identities.list(id),
    listOwnEvents(features, account, MOST_EVENTS),
  ]);
  features.audit.record({ event: 'account_exported', subject: id });
  return {
    exported_at: isoOf(features.clock()),
    account: {
      ...claims,
      sub: id,
      email,
      email_verified: emailVerified,
      name,
      role,
      updated_at: isoOf(updatedAt),
    },
    sessions: sessions.map(({ browser, authenticatedAt, seen }) => ({
      browser,
      authenticated_at: isoOf(authenticatedAt),
      ...(seen && { last_seen_at: isoOf(seen.at), last_seen_from: seen.address }),
    })),
    applications: applications.map(({ clientId, clientName, scopes, usedAt }) => ({
      client_id: clientId,
      client_name: clientName,
      scope: scopes.join(' '),
      ...(usedAt !== undefined && { last_used_at: isoOf(usedAt * 1000) }),
    })),
    identities,
    events: events.map(({ name: event, at, address, clientId }) => ({
      event,
      at: isoOf(at),
      ...(address !== undefined && { address }),
      ...(clientId !== undefined && { client_id: clientId }),
    })),
  };
}

function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}
