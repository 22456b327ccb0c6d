import { defineItemScript, getTogether, type RedisConnection } from '@trellis/redis';
import type { Sealer } from '../secrets/sealing.ts';
import { grantKeys } from './grant-keys.ts';
import { encodeSealedGrant, sealGrant, type Grant } from './grant-record.ts';
import { createOpenedRecords } from '../secrets/opened-records.ts';
import { createSealedJson } from '../secrets/sealed-json.ts';

/** What an authorization code stands for. */
export interface CodeContents {
  readonly clientId: string;
  readonly clientIncarnation: string;
  readonly redirectUri: string;
  /** S256 challenge; undefined where a client that is exempt sent none. RFC 7636 */
  readonly codeChallenge: string | undefined;
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

/** A code that is issued. */
export interface IssuedCode extends StoredCode {
  /** What it is most probably exchanged for: sealed now, while the user waits anyway. */
  readonly grant?: Grant;
}

/** A code as it was found. */
export interface FoundCode extends StoredCode {
  /** Whether the {@link IssuedCode.grant} lies beside it. */
  readonly hasGrant: boolean;
}

/** How an attempt to consume a code ended. See `consume-codes-3-each.lua`. */
export type ConsumeOutcome = 'consumed' | 'replayed' | 'unknown';

/** What consuming a code needs to know. */
export interface ConsumeRequest {
  readonly grantId: string;
  readonly secretHash: string;
  /** Undefined for the one that lies beside the code. */
  readonly grant: Grant | undefined;
  /** Seconds until the grant ends when its refresh token is not used. */
  readonly idleTtlS: number;
  readonly now: number;
}

/** Authorization codes, each under the id of the grant that it begins. */
export interface CodeStore {
  save(grantId: string, code: IssuedCode, ttlS: number): Promise<void>;
  /** Also returns codes that were used, so that a replay can be judged before it is acted on. */
  find(grantId: string): Promise<FoundCode | undefined>;
  /** Atomic: of any number of callers one gets `consumed`. */
  consume(request: ConsumeRequest): Promise<ConsumeOutcome>;
}

const consumeCodes = defineItemScript(new URL('../../src/grants/consume-codes-3-each.lua', import.meta.url));

/** Codes are exchanged within seconds, and often where they were issued. Mostly some 2 MB. */
const MAX_REMEMBERED = 1_000;

/**
 * Codes in Redis. A record has a line each for: state, hash, what the code stands for, sealed, and the grant, sealed for its own
 * key. The first two are for `consume-codes-3-each.lua`, which moves the last one to where it belongs; the hash is sealed as well, so that no one exchanges another's code by a secret of his own.
 *
 * @param revocationTtlS seconds for which the revocation by a replay is remembered
 */
export function createCodeStore(redis: RedisConnection, sealer: Sealer, revocationTtlS: number): CodeStore {
  const records = createSealedJson<StoredCode>(sealer);
  const opened = createOpenedRecords<StoredCode>(MAX_REMEMBERED);
  return {
    save: async (grantId, { secretHash, contents, grant }, ttlS) => {
      const key = grantKeys.code(grantId);
      const sealed = records.seal(key, { secretHash, contents });
      opened.remember(key, sealed, { secretHash, contents });
      const lines = ['issued', secretHash, sealed];
      if (grant) lines.push(sealGrant(sealer, grantKeys.grant(grantId), grant));
      await redis.set(key, lines.join('\n'), 'EX', ttlS);
    },
    find: async (grantId) => {
      const key = grantKeys.code(grantId);
      const record = await getTogether(redis, key);
      if (record === null) {
        opened.forget(key);
        return undefined;
      }
      const [, , sealed = '', grant] = record.split('\n', 4);
      const code = opened.read(key, sealed, () => records.open(key, sealed));
      return code && { secretHash: code.secretHash, contents: code.contents, hasGrant: grant !== undefined };
    },
    consume: ({ grantId, secretHash, grant, idleTtlS, now }) => {
      const sealed = grant ? sealGrant(sealer, grantKeys.grant(grantId), grant) : '';
      const record = encodeSealedGrant(sealed, { generation: 1, rotatedAt: now });
      const keys = [grantKeys.code(grantId), grantKeys.grant(grantId), grantKeys.revoked(grantId)];
      const args = [secretHash, record, idleTtlS, revocationTtlS];
      return consumeCodes(redis, keys, args) as Promise<ConsumeOutcome>; // the script returns nothing else
    },
  };
}
