import {
  amountsOf,
  DEFAULT_SHARES,
  ShareBuckets,
  shareKeysOf,
  type ShareKeys,
} from '@trellis/runtime/admission';
import type { AttemptLimit } from '../../attempts/attempt-store.ts';
import type { CertificateAuthorities } from './certificate-authorities.ts';
import type { BoundedAttempts } from '../../attempts/bounded-attempts.ts';
import { countersByNetwork } from '../../attempts/network-counters.ts';

/**
 * Keeps guessing of clients' secrets slow, by client and network: a guesser closes the client for its own network, and
 * for no other. RFC 6749 §2.3.1
 */
export interface SecretAttemptLimiter {
  /** @returns 0 when a secret may be tried, else the seconds to wait */
  waitS(clientId: string, address: string): number;
  /** A secret was wrong. */
  failed(clientId: string, address: string): void;
}

/** For one client, from one address; four and sixteen times as many from the networks around it. */
const PER_CLIENT: AttemptLimit = { failures: 20, windowS: 900 };
/** The same for all clients together. */
const IN_ALL: AttemptLimit = { failures: 100, windowS: 900 };
const ALL = 'all clients';
/** Networks that another instance may have counted, and that are remembered here. */
const MAX_BLOCKED = 10_000;

/**
 * Failures are counted here at once, so that guesses sent together are counted before they are answered, and in the store,
 * so that several instances do not give as many guesses each. A right secret costs no question to the store: an instance
 * learns with the first wrong one that there were too many elsewhere.
 *
 * @param clock milliseconds since 1970
 */
export function createSecretAttemptLimiter(
  attempts: BoundedAttempts,
  clock: () => number,
): SecretAttemptLimiter {
  const here = [createBuckets(PER_CLIENT), createBuckets(IN_ALL)] as const;
  const blockedUntil = new Map<string, number>();
  const block = (name: string, waitS: number): void => {
    const [oldest] = blockedUntil.keys();
    if (blockedUntil.size >= MAX_BLOCKED && oldest !== undefined) blockedUntil.delete(oldest);
    blockedUntil.set(name, clock() + waitS * 1000);
  };
  const blockedMs = (name: string): number => Math.max(0, (blockedUntil.get(name) ?? 0) - clock());
  return {
    waitS: (clientId, address) => {
      const waitsMs = [
        here[0].waitMs(keysOf(clientId, address)),
        here[1].waitMs(keysOf(ALL, address)),
        ...(blockedUntil.size === 0 ? [] : namesOf(clientId, address).map(blockedMs)),
      ];
      return Math.ceil(Math.max(...waitsMs) / 1000);
    },
    failed: (clientId, address) => {
      here[0].charge(keysOf(clientId, address), 1);
      here[1].charge(keysOf(ALL, address), 1);
      const store = attempts.from(address);
      for (const { name, limit } of countersOf(clientId, address)) {
        // While the store is unavailable, each instance counts for itself.
        store.reserve(name, limit).then(
          (waitS) => waitS > 0 && block(name, waitS),
          () => undefined,
        );
      }
    },
  };
}

function createBuckets({ failures, windowS }: AttemptLimit): ShareBuckets {
  return new ShareBuckets({
    amounts: amountsOf(failures, DEFAULT_SHARES.ofCaller),
    windowMs: windowS * 1000,
  });
}

function keysOf(clientId: string, address: string): ShareKeys {
  const [own, ...wider] = shareKeysOf({ address });
  return [`${clientId} ${own}`, ...wider.map((key) => `${clientId} ${key}`)];
}

function countersOf(clientId: string, address: string): ReturnType<typeof countersByNetwork> {
  return [
    ...countersByNetwork(`secret ${clientId}`, address, PER_CLIENT),
    ...countersByNetwork(`secret ${ALL}`, address, IN_ALL),
  ];
}

function namesOf(clientId: string, address: string): readonly string[] {
  return countersOf(clientId, address).map(({ name }) => name);
}

/** What clients are authenticated with beside the registry. */
export interface ClientAuthenticationFeatures {
  /** Limits guesses of clients' secrets. */
  readonly secretAttemptLimiter: SecretAttemptLimiter;
  /** Those who issue certificates for clients; undefined where none does. */
  readonly certificateAuthorities: CertificateAuthorities | undefined;
}
