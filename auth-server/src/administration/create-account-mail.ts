import { amountsOf, DEFAULT_SHARES, ShareLimit, shareKeysOf } from '@trellis/runtime/admission';
import type { Logger } from '@trellis/runtime';
import { issueLink, resetLinkOf, type IssueLinkFeatures } from './account-links.ts';
import type { PageTexts } from '../pages/texts/page-texts.ts';
import { paths } from '../paths.ts';
import type { AccountMail } from './account-mail.ts';
import type { MailSender, MailFeatures } from '../mail/mail-limits.ts';
import type { Mail } from '../mail/mail.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';

/** What messages are made with. */
export type AccountMailFeatures = HasClock &
  HasSettings &
  Pick<AccountFeatures, 'accounts'> &
  MailFeatures &
  IssueLinkFeatures;

/**
 * Most messages under way that anybody asked for, and most notices; what is asked for beyond them is dropped. No network has all
 * of the first.
 */
const MOST_UNDER_WAY = 100;

/** Messages by the means that there is. */
export function createAccountMail(mail: Mail, features: AccountMailFeatures, logger: Logger): AccountMail {
  const [asked, notices] = [createBackground(logger), createBackground(logger)];
  const sendReset = async (email: string, texts: PageTexts): Promise<boolean> => {
    const account = await features.accounts.findByEmail(email);
    if (!account || account.disabled) return account !== undefined;
    const address = await issueLink(features, resetLinkOf(account), 'user');
    const { resetSubject: subject, reset } = texts.mail;
    await mail.send({ to: account.email, subject, text: reset(address) }, 'account');
    return true;
  };
  const sendSignUp = async (email: string, name: string, texts: PageTexts): Promise<void> => {
    const link = { purpose: 'sign_up', email, name, role: 'VIEWER' } as const;
    const address = await issueLink(features, link, 'user');
    await mail.send({ to: email, subject: texts.mail.signUpSubject, text: texts.mail.signUp(address) });
  };
  const sendOffer = async (
    email: string,
    name: string,
    from: MailSender,
    texts: PageTexts,
  ): Promise<void> => {
    if (await sendReset(email, texts)) return;
    const room = features.mailLimits.takeLinkRoom(from.address);
    if (!room) {
      logger.warn('mail message dropped: too many open links');
      return;
    }
    try {
      await sendSignUp(email, name, texts);
    } catch (error) {
      room.giveBack();
      throw error;
    }
  };
  return {
    offerAccount: (email, name, from, texts) =>
      asked.run(shareKeysOf(from), async () => {
        if (await features.mailLimits.reserveRecipient(email, from))
          await sendOffer(email, name, from, texts);
      }),
    offerReset: (email, from, texts) =>
      asked.run(shareKeysOf(from), async () => {
        if (await features.mailLimits.reserveRecipient(email, from)) await sendReset(email, texts);
      }),
    confirmAddress: (account, email, from, texts) =>
      asked.run(shareKeysOf(from), async () => {
        // Who has another account with the address learns nothing, and loses nothing.
        if (await features.accounts.findByEmail(email)) return;
        if (!(await features.mailLimits.reserveRecipient(email, from))) return;
        const { id: subject, email: before, credentialsChangedAt } = account;
        const link = { purpose: 'change_email', subject, email, from: before, credentialsChangedAt } as const;
        const address = await issueLink(features, link, 'user');
        const { changeEmailSubject, changeEmail } = texts.mail;
        await mail.send({ to: email, subject: changeEmailSubject, text: changeEmail(address) });
      }),
    notify: ({ id, email }, kind, texts, what) =>
      notices.run([], async () => {
        if (!(await features.mailLimits.reserveNotice(id, kind))) return;
        const { subject, text } = texts.mail.notices[kind];
        const moment = `${momentsIn(texts.language).format(features.clock())} UTC`;
        const body = text(what, moment, `${features.settings.issuer}${paths.account}`);
        await mail.send({ to: email, subject, text: body }, 'account');
      }),
    settle: async () => {
      await Promise.all([asked.settle(), notices.settle()]);
    },
  };
}

/** What is done while no one waits for it, so much at a time. */
interface Background {
  /** @param keys whose share it counts in; none where it counts in no one's */
  run(keys: readonly string[], work: () => Promise<void>): void;
  settle(): Promise<unknown>;
}

function createBackground(logger: Logger): Background {
  const underWay = new Set<Promise<void>>();
  const places = new ShareLimit({
    total: MOST_UNDER_WAY,
    perKey: amountsOf(MOST_UNDER_WAY, DEFAULT_SHARES.ofTotal),
    leavesRoom: true,
  });
  return {
    run: (keys, work) => {
      if (places.tryAcquire(keys) !== undefined) {
        logger.error('mail message dropped: queue full');
        return;
      }
      const done = work()
        .catch((error: unknown) => logger.error({ err: error }, 'mail message not queued'))
        .finally(() => {
          underWay.delete(done);
          places.release(keys);
        });
      underWay.add(done);
    },
    settle: () => Promise.all(underWay),
  };
}

function momentsIn(language: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
}
