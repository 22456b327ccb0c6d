import type { Logger } from '@trellis/runtime';
import type { Audit } from '../audit/audit.ts';
import type { Keyring } from '../keys/keyring.ts';
import { removeExpiredKeys, rotateSigningKeys, type SigningKeyDependencies } from '../keys/signing-keys.ts';

/** Work on the keys that goes on while the server runs. */
export interface KeyMaintenance {
  /** Stops, and resolves when the turn that is under way has ended. */
  stop(): Promise<void>;
}

/** What the maintenance works with. */
export interface KeyMaintenanceDependencies extends SigningKeyDependencies {
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly logger: Logger;
  /** Seconds between two turns. */
  readonly intervalS: number;
}

/** At each turn: rotate what is due, drop what has expired, load what other instances changed. */
export function startKeyMaintenance(dependencies: KeyMaintenanceDependencies): KeyMaintenance {
  const { keyring, audit, logger, intervalS } = dependencies;
  let turn: Promise<void> = Promise.resolve();

  const takeTurn = async (): Promise<void> => {
    try {
      const { activated } = await rotateSigningKeys(dependencies, true);
      if (activated.length > 0) audit.record({ event: 'keys_rotated', kids: activated, by: 'schedule' });
      await removeExpiredKeys(dependencies);
      await keyring.reload();
    } catch (error) {
      logger.error({ err: error }, 'key maintenance failed; loaded keys stay in use');
    }
  };
  const timer = setInterval(() => {
    turn = turn.then(takeTurn);
  }, intervalS * 1000);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      return turn;
    },
  };
}
