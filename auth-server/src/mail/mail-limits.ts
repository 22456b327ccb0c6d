import { sha256 } from '../secrets.ts';
import type { AttemptStore } from '../stores/attempt-store.ts';

/** Keeps the server from being used to flood people with mail. */
export interface MailLimits {
  /** @returns 0 when a message may be asked for from there, else the seconds to wait */
  reserveSender(address: string): Promise<number>;
  /** Whether a message to the address may be sent. */
  reserveRecipient(email: string): Promise<boolean>;
}

const PER_SENDER = { failures: 20, windowS: 3_600 };
const PER_RECIPIENT = { failures: 3, windowS: 3_600 };

/** Counters per hour. */
export function createMailLimits(attempts: AttemptStore): MailLimits {
  return {
    reserveSender: (address) => attempts.reserve(`mail-from:${address}`, PER_SENDER),
    reserveRecipient: async (email) =>
      (await attempts.reserve(`mail-to:${sha256(email.trim().toLowerCase())}`, PER_RECIPIENT)) === 0,
  };
}
