/** Why a token is rejected. `reason` is a sentence for the log, and in development for the client; the message is for clients. */
export class InvalidAccessToken extends Error {
  override readonly name = 'InvalidAccessToken';
  readonly reason: string;

  constructor(reason: string, message = 'The access token is not valid here.') {
    super(message);
    this.reason = reason;
  }
}
