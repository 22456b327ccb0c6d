/** What a grant allows: from one authorization, or from one sign-in of a device. */
export interface Grant {
  readonly clientId: string;
  /** The account's id. */
  readonly subject: string;
  readonly scopes: readonly string[];
  /** The one resource that access tokens are for. */
  readonly audience: string;
  /** When the person signed in, milliseconds since 1970. */
  readonly authenticatedAt: number;
  /** The session it came from. */
  readonly sessionId: string;
  /** Thumbprint of the key that refresh tokens of a public client are bound to. RFC 9449 §5 */
  readonly keyThumbprint?: string | undefined;
  /** When it began, seconds since 1970. */
  readonly createdAt: number;
  /** When it ends however often it is refreshed, seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * A grant in text, for Redis: one line a member. Compact, because there may be millions, and readable by Lua without a
 * JSON library. The first five lines are the ones that `rotate-refresh-token-2.lua` reads: generation, time of the last
 * rotation, client, end, thumbprint of a bound key.
 */
export function encodeGrant(grant: Grant, generation: number, rotatedAt: number): string {
  return [
    generation,
    rotatedAt,
    grant.clientId,
    grant.expiresAt,
    grant.keyThumbprint ?? '',
    grant.subject,
    grant.scopes.join(' '),
    grant.audience,
    grant.authenticatedAt,
    grant.sessionId,
    grant.createdAt,
  ].join('\n');
}

/** The opposite of {@link encodeGrant}. @throws TypeError for a text that it did not make */
export function decodeGrant(record: string): Grant {
  const lines = record.split('\n');
  if (lines.length !== 11) throw new TypeError('A grant record has 11 lines.');
  const line = (index: number): string => lines[index] ?? '';
  return {
    clientId: line(2),
    expiresAt: Number(line(3)),
    keyThumbprint: line(4) || undefined,
    subject: line(5),
    scopes: line(6) === '' ? [] : line(6).split(' '),
    audience: line(7),
    authenticatedAt: Number(line(8)),
    sessionId: line(9),
    createdAt: Number(line(10)),
  };
}

/** The generation of the live refresh token. */
export function generationOf(record: string): number {
  return Number.parseInt(record, 10);
}
