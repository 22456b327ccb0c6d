import type { Logger } from '@trellis/runtime';
import type { Audit } from '../audit/audit.ts';
import type { AuthServerMetrics } from '../audit/auth-server-metrics.ts';
import type { AccountGrantStore } from './account-grant-store.ts';
import type { CodeStore } from './code-store.ts';
import type { GrantStore } from './grant-store.ts';
import type { ListedGrant } from '../accounts/listed-grant.ts';
import type { RevocationFeed } from '../tokens/revocation-feed.ts';
import type { SessionStore } from '../accounts/session-store.ts';
import type { StaleTokenStore, TokenHolder } from '../tokens/stale-token-store.ts';
import type { RevocationReason } from '../audit/revocation-reason.ts';

/** Whose a grant is, and where it came from. */
export interface GrantOwner {
  readonly subject: string;
  readonly clientId: string;
  readonly sessionId: string;
}

/** Ends grants and publishes it. Nothing else ends a grant but its time, and the scripts that find a token used twice. */
export interface GrantRevoker {
  /** Ends one grant with its refresh token, code and access tokens. @returns whether it was live */
  revoke(grantId: string, reason: RevocationReason): Promise<boolean>;
  /** Does what else belongs to a revocation that a script has already made. */
  publish(grantId: string, owner: GrantOwner, reason: RevocationReason): Promise<void>;
  /** Ends grants of an account. @returns how many were live */
  revokeMany(subject: string, grants: readonly ListedGrant[], reason: RevocationReason): Promise<number>;
  /** Ends the grants of an account that `which` accepts. @returns how many were live */
  revokeOfAccount(
    subject: string,
    reason: RevocationReason,
    which?: (grant: ListedGrant) => boolean,
  ): Promise<number>;
  /** Ends the access tokens that a user or a client has; grants stay, and give tokens that say what is true now. */
  revokeTokens(holder: TokenHolder, reason: RevocationReason): Promise<void>;
}

/** What a revoker works with. */
export interface GrantRevokerDependencies {
  readonly grants: GrantStore;
  readonly codes: Pick<CodeStore, 'find'>;
  readonly accountGrants: AccountGrantStore;
  readonly sessions: Pick<SessionStore, 'removeGrants'>;
  readonly staleTokens: StaleTokenStore;
  readonly feed: RevocationFeed;
  readonly audit: Audit;
  readonly metrics: AuthServerMetrics;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Grants that are ended at the same time. */
const AT_ONCE = 200;

/** Makes a revoker. */
export function createGrantRevoker(dependencies: GrantRevokerDependencies): GrantRevoker {
  const { grants, codes, accountGrants, sessions, staleTokens, feed, audit, metrics, logger, clock } =
    dependencies;
  const nowS = (): number => Math.floor(clock() / 1000);

  /** Has ended in the store already: a resource server that misses this learns of it by polling. */
  const ignoreFailure = (published: Promise<void>): Promise<void> =>
    published.catch((error: unknown) => logger.error({ err: error }, 'publishing a revocation failed'));
  const record = async (grantIds: readonly string[], reason: RevocationReason): Promise<void> => {
    for (const grantId of grantIds) {
      audit.record({ event: 'grant_revoked', grantId, reason });
      metrics.revocations.inc({ reason });
    }
    await ignoreFailure(feed.publish(grantIds, nowS()));
  };
  const unlist = async (grantId: string, { subject, clientId, sessionId }: GrantOwner): Promise<void> => {
    await accountGrants.remove(subject, [{ grantId, clientId }]);
    await sessions.removeGrants(sessionId, [{ grantId, clientId }]);
  };
  const revokeListed = async (
    subject: string,
    listed: readonly ListedGrant[],
    reason: RevocationReason,
  ): Promise<number> => {
    let ended = 0;
    for (let first = 0; first < listed.length; first += AT_ONCE) {
      const some = listed.slice(first, first + AT_ONCE);
      const live = await Promise.all(some.map(({ grantId }) => grants.revoke(grantId, reason)));
      ended += live.filter(Boolean).length;
      await record(
        some.map(({ grantId }) => grantId),
        reason,
      );
      await accountGrants.remove(subject, some);
    }
    return ended;
  };
  return {
    revoke: async (grantId, reason) => {
      const owner = (await grants.find(grantId)) ?? (await codes.find(grantId))?.contents;
      const wasLive = await grants.revoke(grantId, reason);
      await record([grantId], reason);
      if (owner) await unlist(grantId, owner);
      return wasLive;
    },
    publish: async (grantId, owner, reason) => {
      await record([grantId], reason);
      await unlist(grantId, owner);
    },
    revokeMany: revokeListed,
    revokeOfAccount: async (subject, reason, which = () => true) =>
      revokeListed(subject, (await accountGrants.list(subject, nowS())).filter(which), reason),
    revokeTokens: async (holder, reason) => {
      const now = nowS();
      await staleTokens.mark(holder, now);
      audit.record({ event: 'access_tokens_revoked', ...withoutKind(holder), reason });
      await ignoreFailure(feed.publishStale(holder, now, now));
    },
  };
}

function withoutKind(holder: TokenHolder): { readonly subject?: string; readonly clientId?: string } {
  return holder.kind === 'user' ? { subject: holder.subject } : { clientId: holder.clientId };
}
