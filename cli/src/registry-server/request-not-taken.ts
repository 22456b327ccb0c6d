/** A request that is not taken; Fastify makes a response of its status. */
export class RequestNotTaken extends Error {
  override readonly name = 'RequestNotTaken';
  readonly statusCode: 413 | 429;

  constructor(statusCode: 413 | 429, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}
