import type { MailStore } from './mail-store.ts';
import { shareKeysOf } from '@trellis/runtime/admission';
import { sha256 } from '../secrets/secrets.ts';
import type { AccountName } from '../accounts/sign-in/account-name.ts';
import type { NoticeKind } from '../pages/texts/page-texts.ts';
import type { AttemptStore } from '../attempts/attempt-store.ts';
import type { BoundedAttempts } from '../attempts/bounded-attempts.ts';
import { countersByNetwork } from '../attempts/network-counters.ts';
import type { TakenRoom, WriteRoom } from '../attempts/write-room.ts';
import { reserveTogether, type Counter } from '../attempts/reserve-together.ts';

/** Where the links wait with which anybody may sign up. */
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

/** Keeps the server from being used to flood users with mail. */
export interface MailLimits {
  /** @returns 0 when a message may be asked for from there, else the seconds to wait */
  reserveSender(address: string): Promise<number>;
  /** Whether a message to the e-mail address may be sent, asked for from there. */
  reserveRecipient(email: string, from: MailSender): Promise<boolean>;
  /**
   * Takes room for a link that is about to be stored for an address without an account, of which there are as many as anybody
   * likes. Links to accounts need none: there are few for each.
   *
   * @returns undefined where there is none
   */
  takeLinkRoom(address: string): TakenRoom | undefined;
  /** Whether the owner of an account may get another notice of this kind. */
  reserveNotice(accountId: string, kind: NoticeKind): Promise<boolean>;
}

/** Bytes of a link with name and e-mail address. */
const LINK_BYTES = 1_500;

const PER_SENDER = { failures: 20, windowS: 3_600 };
/** For one recipient: by one browser that the account knows, or one network. */
const PER_RECIPIENT_AND_SENDER = { failures: 3, windowS: 3_600 };
/** For one recipient, by all networks together. */
const PER_RECIPIENT = { failures: 12, windowS: 3_600 };

/** Notices of one kind to the owner of one account: who signs in again and again fills no inbox, and hides no other kind. */
const PER_NOTIFIED_ACCOUNT = { failures: 20, windowS: 3_600 };

/**
 * Counters per hour. No one can use up the messages that a user asks for with a browser that the account knows, nor,
 * from one network, those that are asked for from others.
 *
 * @param attempts of browsers that an account knows, and notices
 * @param anonymousAttempts of all others, who can make a counter for each address that can be typed
 */
export function createMailLimits(
  attempts: AttemptStore,
  anonymousAttempts: BoundedAttempts,
  accountName: AccountName,
  links: LinkRoom,
): MailLimits {
  return {
    reserveSender: async (address) => {
      const counters = countersByNetwork('mail-from', address, PER_SENDER);
      const { waitsS } = await reserveTogether(anonymousAttempts.from(address), counters);
      return Math.max(...waitsS);
    },
    reserveRecipient: async (email, from) => {
      const store = from.knownBrowser === undefined ? anonymousAttempts.from(from.address) : attempts;
      const { waitsS } = await reserveTogether(store, recipientCounters(accountName(email), from));
      return waitsS.every((waitS) => waitS === 0);
    },
    takeLinkRoom: (address) => links.room.take(shareKeysOf({ address }), LINK_BYTES, links.ttlS),
    reserveNotice: async (accountId, kind) =>
      (await attempts.reserve(`mail-notice:${kind}:${accountId}`, PER_NOTIFIED_ACCOUNT)) === 0,
  };
}

function recipientCounters(recipient: string, { address, knownBrowser }: MailSender): readonly Counter[] {
  const all = { name: `mail-to:${recipient}`, limit: PER_RECIPIENT };
  const limit = PER_RECIPIENT_AND_SENDER;
  if (knownBrowser !== undefined) return [{ name: `${all.name}:${sha256(knownBrowser)}`, limit }];
  const [network] = shareKeysOf({ address });
  return [all, { name: `${all.name}:${network}`, limit }];
}

/** Mail that is sent. */
export interface MailFeatures {
  /** Limits messages to one address, and requests for messages from one place. */
  readonly mailLimits: MailLimits;
  /** Messages that wait. */
  readonly mailStore: MailStore;
}
