/** A message to one user. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Accepts messages. */
export interface Mail {
  /** @throws Error when the message could not be accepted */
  send(message: MailMessage): Promise<void>;
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
