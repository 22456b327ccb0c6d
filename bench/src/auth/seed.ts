/** What a token endpoint is given in exchange for tokens. */
export type SeedKind = 'code' | 'refresh';

/** How id_tokens are signed; it is also the name of the client that has them so. */
export type Algorithm = 'ES256' | 'RS256';
