/** A message to one person. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Delivers messages. */
export interface Mail {
  /** @throws Error when the message could not be handed over */
  send(message: MailMessage): Promise<void>;
}
