import { canonicalEmail } from '../canonical-email.ts';
import { macOf } from '../../secrets/secrets.ts';

/**
 * Names an e-mail address in counters and logs without disclosing it: no one without the key can try whose name it is. All
 * spellings of an address have the same name.
 */
export type AccountName = (email: string) => string;

/** Names under a key of their own. */
export function createAccountName(key: Buffer): AccountName {
  return (email) => macOf(key, canonicalEmail(email));
}
