import { defineScript, type RedisConnection } from '@trellis/redis';
import { grantKeys } from './grant-keys.ts';
import { encodeGrant, type Grant } from './grant-record.ts';

/** What an authorization code stands for. */
export interface CodeContents {
  readonly clientId: string;
  readonly redirectUri: string;
  /** S256 challenge. RFC 7636 */
  readonly codeChallenge: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly audience: string;
  readonly authenticatedAt: number;
  readonly sessionId: string;
  /** When it was issued, seconds since 1970. */
  readonly issuedAt: number;
  readonly nonce?: string | undefined;
  /** Thumbprint of the only key that may exchange it. RFC 9449 §10 */
  readonly keyThumbprint?: string | undefined;
}

/** A code as it is stored. */
export interface StoredCode {
  /** Hash of the part of the code that only the client's browser has seen. */
  readonly secretHash: string;
  readonly contents: CodeContents;
}

/** How an attempt to consume a code ended. See `consume-code-3.lua`. */
export type ConsumeOutcome = 'consumed' | 'replayed' | 'unknown';

/** What consuming a code needs to know. */
export interface ConsumeRequest {
  readonly grantId: string;
  readonly secretHash: string;
  readonly grant: Grant;
  /** Seconds until the grant ends when its refresh token is not used. */
  readonly idleTtlS: number;
  readonly now: number;
}

/** Authorization codes, each under the id of the grant that it begins. */
export interface CodeStore {
  save(grantId: string, code: StoredCode, ttlS: number): Promise<void>;
  /** Also returns codes that were used, so that a replay can be judged before it is acted on. */
  find(grantId: string): Promise<StoredCode | undefined>;
  /** Atomic: of any number of callers one gets `consumed`. */
  consume(request: ConsumeRequest): Promise<ConsumeOutcome>;
}

const consumeCode = defineScript(new URL('../../src/stores/consume-code-3.lua', import.meta.url));

/**
 * Codes in Redis.
 *
 * @param revocationTtlS seconds for which the revocation by a replay is remembered
 */
export function createCodeStore(redis: RedisConnection, revocationTtlS: number): CodeStore {
  return {
    save: async (grantId, { secretHash, contents }, ttlS) => {
      const record = `issued\n${secretHash}\n${JSON.stringify(contents)}`;
      await redis.set(grantKeys.code(grantId), record, 'EX', ttlS);
    },
    find: async (grantId) => {
      const record = await redis.get(grantKeys.code(grantId));
      return record === null ? undefined : decode(record);
    },
    consume: async ({ grantId, secretHash, grant, idleTtlS, now }) => {
      const outcome = await consumeCode(
        redis,
        [grantKeys.code(grantId), grantKeys.grant(grantId), grantKeys.revoked(grantId)],
        [secretHash, encodeGrant(grant, 1, now), idleTtlS, revocationTtlS],
      );
      return outcome as ConsumeOutcome; // the script returns nothing else
    },
  };
}

function decode(record: string): StoredCode {
  const [, secretHash = '', json = ''] = record.split('\n', 3);
  return { secretHash, contents: JSON.parse(json) as CodeContents }; // written by save above
}
