import type { Logger } from '@trellis/deployable';
import type { Audit } from './audit.ts';
import type { AuthServerMetrics } from './auth-server-metrics.ts';
import type { AccountGrantStore } from './stores/account-grant-store.ts';
import type { GrantStore, RevocationReason } from './stores/grant-store.ts';
import type { RevocationFeed } from './stores/revocation-feed.ts';

/** Ends grants and tells everybody. */
export interface GrantRevoker {
  /** Ends one grant with its refresh token, code and access tokens. @returns whether it was live */
  revoke(grantId: string, reason: RevocationReason): Promise<boolean>;
  /** Announces a revocation that a script has already made. */
  announce(grantId: string, reason: RevocationReason): Promise<void>;
  /** Ends the grants of an account that `which` accepts. @returns how many were live */
  revokeOfAccount(
    subject: string,
    reason: RevocationReason,
    which?: (grantId: string) => Promise<boolean>,
  ): Promise<number>;
}

/** What a revoker works with. */
export interface GrantRevokerDependencies {
  readonly grants: GrantStore;
  readonly accountGrants: AccountGrantStore;
  readonly feed: RevocationFeed;
  readonly audit: Audit;
  readonly metrics: AuthServerMetrics;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Makes a revoker. */
export function createGrantRevoker(dependencies: GrantRevokerDependencies): GrantRevoker {
  const { grants, accountGrants, feed, audit, metrics, logger, clock } = dependencies;
  const nowS = (): number => Math.floor(clock() / 1000);

  const announce: GrantRevoker['announce'] = async (grantId, reason) => {
    audit.record({ event: 'grant_revoked', grantId, reason });
    metrics.revocations.inc({ reason });
    // The grant has ended in the store already; a resource server that misses this learns of it by polling.
    await feed.announce(grantId, nowS()).catch((error: unknown) => {
      logger.error({ err: error, grantId }, 'could not announce a revocation');
    });
  };
  const revoke: GrantRevoker['revoke'] = async (grantId, reason) => {
    const wasLive = await grants.revoke(grantId, reason);
    await announce(grantId, reason);
    return wasLive;
  };
  return {
    revoke,
    announce,
    revokeOfAccount: async (subject, reason, which = async () => true) => {
      let ended = 0;
      for (const grantId of await accountGrants.list(subject, nowS())) {
        if (!(await which(grantId))) continue;
        if (await revoke(grantId, reason)) ended += 1;
        await accountGrants.remove(subject, grantId);
      }
      return ended;
    },
  };
}
