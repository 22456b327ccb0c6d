/** Why a token is refused. `reason` is for the log; the message is for the client. */
export class InvalidAccessToken extends Error {
  override readonly name = 'InvalidAccessToken';
  readonly reason: string;

  constructor(reason: string, message = 'The access token is not valid here.') {
    super(message);
    this.reason = reason;
  }
}
