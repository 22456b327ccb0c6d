import { OAuthError } from '../errors.ts';
import { equalsConstantTime, macOf, type Keys } from '../secrets.ts';

/** Seconds for which a nonce is handed out; it is good for as long again. */
const WINDOW_S = 120;

/** Nonces that show that a proof is fresh. RFC 9449 §8 */
export interface DpopNonces {
  /** @throws OAuthError use_dpop_nonce, with a nonce to use, when one is needed and this is none */
  check(nonce: unknown): void;
}

/**
 * Nonces that nothing is stored for: a number of a time window and its MAC.
 *
 * @param isRequired whether a proof must have one; one that is sent must be good in any case
 */
export function createDpopNonces(keys: Keys, isRequired: boolean, clock: () => number): DpopNonces {
  const nonceOf = (window: number, key: Buffer): string =>
    `${window}.${macOf(key, 'dpop-nonce', String(window))}`;
  return {
    check: (nonce) => {
      if (nonce === undefined && !isRequired) return;
      const window = Math.floor(clock() / 1000 / WINDOW_S);
      const good = keys.flatMap((key) => [nonceOf(window, key), nonceOf(window - 1, key)]);
      if (typeof nonce === 'string' && good.some((known) => equalsConstantTime(known, nonce))) return;
      throw new OAuthError('use_dpop_nonce', 'The DPoP proof needs the nonce of this answer.', {
        headers: { 'dpop-nonce': nonceOf(window, keys[0]) },
      });
    },
  };
}
