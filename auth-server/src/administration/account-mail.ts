import type { Account } from '../accounts/accounts.ts';
import type { NoticeKind, PageTexts } from '../pages/texts/page-texts.ts';
import type { MailSender } from '../mail/mail-limits.ts';

/** Messages with one-time links. The response does not wait for them, so it does not reveal whether an account exists. */
export interface AccountMail {
  /** To a new address a link for an account, to the owner of an account a link for its password. */
  offerAccount(email: string, name: string, from: MailSender, texts: PageTexts): void;
  /** To the owner of an account a link for its password, to others nothing. */
  offerReset(email: string, from: MailSender, texts: PageTexts): void;
  /** A link to a new address of an account, by which who reads it confirms that it is theirs. */
  confirmAddress(account: Account, email: string, from: MailSender, texts: PageTexts): void;
  /**
   * Notifies the owner of an account what happened to it.
   *
   * @param what the browser, where one is new
   */
  notify(account: Pick<Account, 'id' | 'email'>, kind: NoticeKind, texts: PageTexts, what?: string): void;
  /** Resolves when all messages under way are handed over. */
  settle(): Promise<void>;
}

/** Messages to the owners of accounts. */
export interface AdministrationFeatures {
  /** Absent where no mail can be sent; users then ask those who run the server. */
  readonly accountMail: AccountMail | undefined;
}
