/** Grant type of RFC 8693 §2.1. */
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Grant type of RFC 7523 §2.1. */
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Grant types by which a client gets tokens that no user is asked about: for clients that authenticate, and that an operator has
 * registered.
 */
export const unattendedGrants: readonly string[] = Object.freeze([
  'client_credentials',
  TOKEN_EXCHANGE_GRANT,
  JWT_BEARER_GRANT,
]);
