import type { Logger } from '@trellis/runtime';
import { issueLink, resetLinkOf } from './account-links.ts';
import type { PageTexts } from '../pages/texts/page-texts.ts';
import type { Services } from '../app/services.ts';
import { paths } from '../http/paths.ts';
import type { AccountMail } from './account-mail.ts';
import type { MailSender } from '../mail/mail-limits.ts';
import type { Mail } from '../mail/mail.ts';

/** What messages are made with. */
export type AccountMailServices = Pick<Services, 'accounts' | 'clock' | 'mailLimits'> &
  Parameters<typeof issueLink>[0];

/** Most messages under way that anybody asked for, and most notices; what is asked for beyond them is dropped. */
const MOST_UNDER_WAY = 100;

/** Messages by the means that there is. */
export function createAccountMail(mail: Mail, services: AccountMailServices, logger: Logger): AccountMail {
  const [asked, notices] = [createBackground(logger), createBackground(logger)];
  const sendReset = async (email: string, texts: PageTexts): Promise<boolean> => {
    const account = await services.accounts.findByEmail(email);
    if (!account || account.disabled) return account !== undefined;
    const address = await issueLink(services, resetLinkOf(account), 'person');
    await mail.send({ to: account.email, subject: texts.mail.resetSubject, text: texts.mail.reset(address) });
    return true;
  };
  const sendSignUp = async (email: string, name: string, texts: PageTexts): Promise<void> => {
    const link = { purpose: 'sign_up', email, name, role: 'VIEWER' } as const;
    const address = await issueLink(services, link, 'person');
    await mail.send({ to: email, subject: texts.mail.signUpSubject, text: texts.mail.signUp(address) });
  };
  const sendOffer = async (
    email: string,
    name: string,
    from: MailSender,
    texts: PageTexts,
  ): Promise<void> => {
    if (await sendReset(email, texts)) return;
    const room = services.mailLimits.takeLinkRoom(from.address);
    if (!room) {
      logger.warn('a message was dropped: there is no room for its link');
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
      asked.run(async () => {
        if (await services.mailLimits.reserveRecipient(email, from))
          await sendOffer(email, name, from, texts);
      }),
    offerReset: (email, from, texts) =>
      asked.run(async () => {
        if (await services.mailLimits.reserveRecipient(email, from)) await sendReset(email, texts);
      }),
    notify: ({ id, email }, kind, texts, what) =>
      notices.run(async () => {
        if (!(await services.mailLimits.reserveNotice(id, kind))) return;
        const { subject, text } = texts.mail.notices[kind];
        const moment = `${momentsIn(texts.language).format(services.clock())} UTC`;
        const body = text(what, moment, `${services.settings.issuer}${paths.account}`);
        await mail.send({ to: email, subject, text: body });
      }),
    settle: async () => {
      await Promise.all([asked.settle(), notices.settle()]);
    },
  };
}

/** What is done while nobody waits for it, so much at a time. */
interface Background {
  run(work: () => Promise<void>): void;
  settle(): Promise<unknown>;
}

function createBackground(logger: Logger): Background {
  const underWay = new Set<Promise<void>>();
  return {
    run: (work) => {
      if (underWay.size >= MOST_UNDER_WAY) {
        logger.error('a message was dropped: too many are under way');
        return;
      }
      const done = work()
        .catch((error: unknown) => logger.error({ err: error }, 'a message could not be sent'))
        .finally(() => underWay.delete(done));
      underWay.add(done);
    },
    settle: () => Promise.all(underWay),
  };
}

function momentsIn(language: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
}
