import { hash, parseOptions, verify, type Options } from '@node-rs/argon2';
import { OAuthError } from '../errors.ts';
import { randomToken } from '../secrets.ts';

/** Hashes passwords, a few at a time. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Compares; an absent hash takes as long as a real one and never matches. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>;
  /** Whether a hash was made with other parameters than today's. */
  isOutdated(passwordHash: string): boolean;
}

/** argon2id with 19 MiB, two passes, one lane: about 16 ms. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } satisfies Options;

/** Most callers that wait; more are told to come back. */
const MAX_WAITING = 100;

/**
 * A hasher that works on at most so many passwords at once, so that a rush of sign-ins takes neither all memory nor every
 * thread.
 *
 * @throws OAuthError temporarily_unavailable from its functions when too many wait
 */
export async function createPasswordHasher(concurrency: number): Promise<PasswordHasher> {
  const inTurn = createTurns(concurrency);
  const dummyHash = await hash(randomToken(), PARAMETERS);
  return {
    hash: (password) => inTurn(() => hash(password, PARAMETERS)),
    verify: async (passwordHash, password) => {
      const matches = await inTurn(() => verify(passwordHash ?? dummyHash, password));
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

function createTurns(concurrency: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= concurrency) {
      if (waiting.length >= MAX_WAITING) throw tooBusy();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next)
        next(); // hands its place on
      else running -= 1;
    }
  };
}

function tooBusy(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Too many people sign in at this moment.', {
    headers: { 'retry-after': '5' },
  });
}
