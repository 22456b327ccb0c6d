/** A message to one user. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Whether the reader has an account, or the address is one that anybody may have typed. */
export type MailReader = 'account' | 'anybody';

/** Accepts messages. */
export interface Mail {
  /**
   * @param reader a part of the places to wait is reserved for readers with an account. @default 'anybody'
   * @throws Error when the message could not be accepted
   */
  send(message: MailMessage, reader?: MailReader): Promise<void>;
}

/** Hands messages over for delivery. */
export interface MailTransport {
  /**
   * @param id the same for each attempt at one message, so that a receiver can detect repetitions
   * @throws MailRejected when there is no use in trying again
   * @throws Error when another attempt may succeed
   */
  deliver(id: string, message: MailMessage): Promise<void>;
  close(): Promise<void>;
}

/** The receiver does not take the message, now or later. */
export class MailRejected extends Error {
  override readonly name = 'MailRejected';
}
