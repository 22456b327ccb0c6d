/** Form of an idempotency key: 1 to 255 visible ASCII characters, as it goes on in a header. */
export const IDEMPOTENCY_KEY: RegExp = /^[\x21-\x7e]{1,255}$/;
