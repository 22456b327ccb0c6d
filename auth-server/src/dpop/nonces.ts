import { OAuthError } from '../errors.ts';
import { equalsConstantTime, macOf, type Keys } from '../secrets/secrets.ts';

/** Seconds for which a nonce is handed out; it is good for as long again. */
const WINDOW_S = 120;

/** Seconds for which a nonce may be good. */
export const NONCE_LIFETIME_S: number = 2 * WINDOW_S;

/** Nonces that show that a proof is fresh. RFC 9449 §8 */
export interface DpopNonces {
  /** Whether every proof needs one. */
  readonly isRequired: boolean;
  /** One to use from now on. */
  fresh(): string;
  /**
   * @returns whether there is one
   * @throws OAuthError use_dpop_nonce, with a nonce to use, when one is needed, or this is none
   */
  check(nonce: unknown): boolean;
  /** What asks for a nonce. @param detail why, for the log */
  demand(detail: string): OAuthError;
}

/**
 * Nonces that nothing is stored for: a number of a time window and its MAC.
 *
 * @param isRequired whether a proof must have one; one that is sent must be good in any case
 */
export function createDpopNonces(keys: Keys, isRequired: boolean, clock: () => number): DpopNonces {
  const nonceOf = (window: number, key: Buffer): string =>
    `${window}.${macOf(key, 'dpop-nonce', String(window))}`;
  const windowNow = (): number => Math.floor(clock() / 1_000 / WINDOW_S);
  const fresh = (): string => nonceOf(windowNow(), keys[0]);
  const demand = (detail: string): OAuthError =>
    new OAuthError('use_dpop_nonce', 'The DPoP proof needs the nonce of this response.', {
      headers: { 'dpop-nonce': fresh() },
      detail,
    });
  return {
    isRequired,
    fresh,
    demand,
    check: (nonce) => {
      if (nonce === undefined && !isRequired) return false;
      const window = windowNow();
      const good = keys.flatMap((key) => [nonceOf(window, key), nonceOf(window - 1, key)]);
      if (typeof nonce === 'string' && good.some((known) => equalsConstantTime(known, nonce))) return true;
      throw demand(nonce === undefined ? 'no nonce' : 'no nonce of the last minutes');
    },
  };
}

/** Proofs of possession. RFC 9449 */
export interface DpopFeatures {
  readonly dpopNonces: DpopNonces;
}
