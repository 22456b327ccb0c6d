import type { Logger } from '@trellis/deployable';
import { issueLink, resetLinkOf } from '../administration/account-links.ts';
import type { PageTexts } from '../pages/texts/page-texts.ts';
import type { Services } from '../services.ts';
import { paths } from '../routes/paths.ts';
import type { AccountMail } from './account-mail.ts';
import type { Mail } from './mail.ts';

/** What messages are made with. */
export type AccountMailServices = Pick<Services, 'accounts' | 'clock' | 'mailLimits'> &
  Parameters<typeof issueLink>[0];

/** Most messages under way; what is asked for beyond them is dropped. */
const MOST_UNDER_WAY = 100;

/** Messages by the means that there is. */
export function createAccountMail(mail: Mail, services: AccountMailServices, logger: Logger): AccountMail {
  const underWay = new Set<Promise<void>>();
  const inBackground = (work: () => Promise<void>): void => {
    if (underWay.size >= MOST_UNDER_WAY) {
      logger.error('a message was dropped: too many are under way');
      return;
    }
    const done = work()
      .catch((error: unknown) => logger.error({ err: error }, 'a message could not be sent'))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };

  const sendReset = async (email: string, texts: PageTexts): Promise<boolean> => {
    const account = await services.accounts.findByEmail(email);
    if (!account || account.disabled) return account !== undefined;
    const address = await issueLink(services, resetLinkOf(account), 'person');
    await mail.send({ to: account.email, subject: texts.mail.resetSubject, text: texts.mail.reset(address) });
    return true;
  };
  const sendOffer = async (email: string, name: string, texts: PageTexts): Promise<void> => {
    if (await sendReset(email, texts)) return;
    const address = await issueLink(services, { purpose: 'sign_up', email, name, role: 'VIEWER' }, 'person');
    await mail.send({ to: email, subject: texts.mail.signUpSubject, text: texts.mail.signUp(address) });
  };
  return {
    offerAccount: (email, name, from, texts) =>
      inBackground(async () => {
        if (await services.mailLimits.reserveRecipient(email, from)) await sendOffer(email, name, texts);
      }),
    offerReset: (email, from, texts) =>
      inBackground(async () => {
        if (await services.mailLimits.reserveRecipient(email, from)) await sendReset(email, texts);
      }),
    notify: ({ id, email }, kind, texts, what) =>
      inBackground(async () => {
        if (!(await services.mailLimits.reserveNotice(id))) return;
        const { subject, text } = texts.mail.notices[kind];
        const moment = `${momentsIn(texts.language).format(services.clock())} UTC`;
        const body = text(what, moment, `${services.settings.issuer}${paths.account}`);
        await mail.send({ to: email, subject, text: body });
      }),
    settle: async () => {
      await Promise.all(underWay);
    },
  };
}

function momentsIn(language: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
}
