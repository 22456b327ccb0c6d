import type { Logger } from '@trellis/runtime';
import { parseId } from '@trellis/subgraph-kit';
import type { User } from '@trellis/subgraph-protocol';
import type { ProfileStore } from './profile-store.ts';
import { claimsOf, type Claims } from './profile.ts';

/** Lets profiles follow tokens. */
export interface ProfileProvisioner {
  /**
   * Sees to it that the user has a profile that says what their newest token says. Never fails a request, and keeps none
   * waiting for longer than half a second: a table that is locked is written to when it is free.
   */
  provision(user: User): Promise<void>;
}

/** How many tokens are remembered. One that was forgotten costs a statement that changes nothing. */
const MAX_REMEMBERED = 10_000;

/** Milliseconds for which a request waits for the profile to be written. */
const PATIENCE_MS = 500;

/**
 * Makes the provisioner. A token is written once a process, however many requests come with it, and requests that come at
 * the same time wait for the same statement. A database that can't be written to doesn't keep anybody from reading.
 */
export function createProfileProvisioner(store: ProfileStore, logger: Logger): ProfileProvisioner {
  const remembered = new Map<string, Promise<void>>();

  function remember(key: string, claims: Claims): Promise<void> {
    const written = store.follow(claims).catch((error: unknown) => {
      remembered.delete(key);
      logger.error({ err: error, user: claims.id }, 'profile provisioning failed');
    });
    remembered.set(key, written);
    forgetOldest(remembered);
    return written;
  }

  return {
    provision: async (user) => {
      if (parseId(user.id) === undefined) return; // another issuer's subject: no id of this graph
      const claims = claimsOf(user);
      const key = JSON.stringify(claims);
      await withinPatience(remembered.get(key) ?? remember(key, claims));
    },
  };
}

/** Waits, but not for long; what is waited for goes on. */
async function withinPatience(written: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([written, patience]);
  clearTimeout(timer);
}

function forgetOldest(remembered: Map<string, unknown>): void {
  if (remembered.size <= MAX_REMEMBERED) return;
  for (const key of remembered.keys()) {
    remembered.delete(key);
    return;
  }
}
