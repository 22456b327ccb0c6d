import { shareKeysOf } from '@trellis/fair-share';
import { sha256 } from '../secrets.ts';
import type { AccountName } from '../sign-in/account-name.ts';
import type { AttemptStore } from '../stores/attempt-store.ts';
import { countersByNetwork } from '../stores/network-counters.ts';
import type { WriteRoom } from '../stores/write-room.ts';
import { reserveTogether, type Counter } from '../stores/reserve-together.ts';

/** Where the links wait that messages carry. */
export interface LinkRoom {
  readonly room: WriteRoom;
  readonly ttlS: number;
}

/** Who asks for a message. */
export interface MailSender {
  readonly address: string;
  /** Proof that the recipient has signed in with this browser before. */
  readonly knownBrowser: string | undefined;
}

/** Keeps the server from being used to flood people with mail. */
export interface MailLimits {
  /** @returns 0 when a message may be asked for from there, else the seconds to wait */
  reserveSender(address: string): Promise<number>;
  /** Whether a message to the e-mail address may be sent, asked for from there. */
  reserveRecipient(email: string, from: MailSender): Promise<boolean>;
  /** Whether the owner of an account may be told of another thing that happened to it. */
  reserveNotice(accountId: string): Promise<boolean>;
}

/** Bytes of a link with name and e-mail address, and of the counters beside it. */
const LINK_BYTES = 1_500;

const PER_SENDER = { failures: 20, windowS: 3_600 };
/** For one recipient: by one browser that the account knows, or one network. */
const PER_RECIPIENT_AND_SENDER = { failures: 3, windowS: 3_600 };
/** For one recipient, by all networks together. */
const PER_RECIPIENT = { failures: 12, windowS: 3_600 };

/** Notices to the owner of one account: who signs in again and again fills no inbox. */
const PER_NOTIFIED_ACCOUNT = { failures: 20, windowS: 3_600 };

/**
 * Counters per hour. Nobody can use up the messages that a person asks for with a browser that the account knows, nor,
 * from one network, those that are asked for from others.
 */
export function createMailLimits(
  attempts: AttemptStore,
  accountName: AccountName,
  links: LinkRoom,
): MailLimits {
  return {
    reserveSender: async (address) => {
      const { waitsS } = await reserveTogether(attempts, countersByNetwork('mail-from', address, PER_SENDER));
      const waitS = Math.max(...waitsS);
      const hasRoom =
        waitS > 0 || links.room.take(shareKeysOf({ address }), LINK_BYTES, links.ttlS) !== undefined;
      return hasRoom ? waitS : PER_SENDER.windowS;
    },
    reserveRecipient: async (email, from) => {
      const { waitsS } = await reserveTogether(attempts, recipientCounters(accountName(email), from));
      return waitsS.every((waitS) => waitS === 0);
    },
    reserveNotice: async (accountId) =>
      (await attempts.reserve(`mail-notice:${accountId}`, PER_NOTIFIED_ACCOUNT)) === 0,
  };
}

function recipientCounters(recipient: string, { address, knownBrowser }: MailSender): readonly Counter[] {
  const all = { name: `mail-to:${recipient}`, limit: PER_RECIPIENT };
  const limit = PER_RECIPIENT_AND_SENDER;
  if (knownBrowser !== undefined) return [{ name: `${all.name}:${sha256(knownBrowser)}`, limit }];
  const [network] = shareKeysOf({ address });
  return [all, { name: `${all.name}:${network}`, limit }];
}
