import { hash, parseOptions, verify, type Options } from '@node-rs/argon2';
import type { QueueCaller } from '@trellis/runtime/admission';
import { canonicalPassword } from '../../passwords/canonical-password.ts';
import { randomToken } from '../../secrets/secrets.ts';
import { createHashTurns } from './hash-turns.ts';

/** Hashes passwords, a few at a time. */
export interface PasswordHasher {
  /** @param caller who has chosen the password, or in whose name it was chosen */
  hash(password: string, caller: QueueCaller): Promise<string>;
  /** Compares; an absent hash takes as long as a real one and never matches. */
  verify(passwordHash: string | undefined, password: string, caller: QueueCaller): Promise<boolean>;
  /** Whether a hash was made with other parameters than today's. */
  isOutdated(passwordHash: string): boolean;
}

/** argon2id with 19 MiB, two passes, one lane: about 16 ms. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } satisfies Options;

/**
 * A hasher that works on at most so many passwords at once, so that a rush of sign-ins takes neither all memory nor every
 * thread.
 *
 * @throws OAuthError too_many_requests from its functions when too many wait of the caller, temporarily_unavailable when of all
 */
export async function createPasswordHasher(concurrency: number): Promise<PasswordHasher> {
  const inTurn = createHashTurns(concurrency);
  const dummyHash = await hash(randomToken(), PARAMETERS);
  return {
    hash: (password, caller) => inTurn(() => hash(canonicalPassword(password), PARAMETERS), caller),
    verify: async (passwordHash, password, caller) => {
      const matches = await inTurn(() => verifyTyped(passwordHash ?? dummyHash, password), caller);
      return matches && passwordHash !== undefined;
    },
    isOutdated: (passwordHash) => {
      const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
      return (
        memoryCost !== PARAMETERS.memoryCost ||
        timeCost !== PARAMETERS.timeCost ||
        parallelism !== PARAMETERS.parallelism
      );
    },
  };
}

/** Hashes that were made before passwords were normalized match what is typed as it is. */
async function verifyTyped(passwordHash: string, typed: string): Promise<boolean> {
  const password = canonicalPassword(typed);
  if (await verify(passwordHash, password)) return true;
  return password !== typed && verify(passwordHash, typed);
}
