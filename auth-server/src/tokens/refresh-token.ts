import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keys } from '../secrets/secrets.ts';

/** What a refresh token says: which grant, and how often it was refreshed. */
export interface RefreshTokenContents {
  readonly grantId: string;
  readonly generation: number;
}

/** Makes and reads refresh tokens. */
export interface RefreshTokens {
  encode(contents: RefreshTokenContents): string;
  /** Undefined for anything that this server has not made. */
  decode(token: string): RefreshTokenContents | undefined;
}

const PREFIX = 'rt_';
const GRANT_BYTES = 16;
const BODY_BYTES = GRANT_BYTES + 4;
const MAC_BYTES = 32;

/**
 * Refresh tokens in constant space: the grant's id, a generation and a MAC. Nothing is stored of the old ones, and yet
 * each of them is recognized, because the MAC proves that it was issued.
 *
 * @param keys the first signs, all of them verify
 */
export function createRefreshTokens(keys: Keys): RefreshTokens {
  const macOf = (key: Buffer, body: Buffer): Buffer => createHmac('sha256', key).update(body).digest();
  return {
    encode: ({ grantId, generation }) => {
      const body = Buffer.alloc(BODY_BYTES);
      body.write(grantId, 0, GRANT_BYTES, 'base64url');
      body.writeUInt32BE(generation, GRANT_BYTES);
      return `${PREFIX}${Buffer.concat([body, macOf(keys[0], body)]).toString('base64url')}`;
    },
    decode: (token) => {
      if (!token.startsWith(PREFIX)) return undefined;
      const text = token.slice(PREFIX.length);
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== BODY_BYTES + MAC_BYTES || bytes.toString('base64url') !== text) return undefined;
      const body = bytes.subarray(0, BODY_BYTES);
      const mac = bytes.subarray(BODY_BYTES);
      if (!keys.some((key) => timingSafeEqual(macOf(key, body), mac))) return undefined;
      return {
        grantId: body.subarray(0, GRANT_BYTES).toString('base64url'),
        generation: body.readUInt32BE(GRANT_BYTES),
      };
    },
  };
}
