import { defineScript, type RedisConnection } from '@trellis/redis';
import { grantKeys } from './grant-keys.ts';
import { decodeGrant, encodeGrant, generationOf, type Grant } from './grant-record.ts';

/** How an attempt to rotate a refresh token ended. See `rotate-refresh-token-2.lua`. */
export type RotateOutcome =
  | { readonly kind: 'rotated' | 'repeated'; readonly generation: number }
  | { readonly kind: 'reused' | 'foreign' | 'gone' };

/** What rotating a refresh token needs to know. */
export interface RotateRequest {
  readonly grantId: string;
  /** Generation of the token that was presented. */
  readonly generation: number;
  readonly clientId: string;
  /** Seconds since 1970. */
  readonly now: number;
  readonly idleTtlS: number;
  readonly leewayS: number;
}

/** Why a grant ended. */
export type RevocationReason =
  | 'account_changed'
  | 'code_replayed'
  | 'consent_withdrawn'
  | 'logout'
  | 'operator'
  | 'refresh_token_reused'
  | 'revoked_by_client';

/** Grants: what codes begin, refresh tokens continue and revocation ends. */
export interface GrantStore {
  /** Begins a grant that no code begins. */
  save(grantId: string, grant: Grant, idleTtlS: number): Promise<void>;
  find(grantId: string): Promise<Grant | undefined>;
  /** The grant, and the generation of its live refresh token. */
  findWithGeneration(
    grantId: string,
  ): Promise<{ readonly grant: Grant; readonly generation: number } | undefined>;
  /** Atomic: of any number of callers with one token one gets `rotated`. */
  rotate(request: RotateRequest): Promise<RotateOutcome>;
  /** Ends a grant with its code or device code. Idempotent. @returns whether it was live */
  revoke(grantId: string, reason: RevocationReason): Promise<boolean>;
  /** Whether access tokens of the grant must not be honoured. */
  isRevoked(grantId: string): Promise<boolean>;
}

const rotateRefreshToken = defineScript(
  new URL('../../src/stores/rotate-refresh-token-2.lua', import.meta.url),
);
const revokeGrant = defineScript(new URL('../../src/stores/revoke-grant-4.lua', import.meta.url));

/**
 * Grants in Redis.
 *
 * @param revocationTtlS seconds for which a revocation is remembered: the longest lifetime of an access token, and skew
 */
export function createGrantStore(redis: RedisConnection, revocationTtlS: number): GrantStore {
  return {
    save: async (grantId, grant, idleTtlS) => {
      await redis.set(grantKeys.grant(grantId), encodeGrant(grant, 1, grant.createdAt), 'EX', idleTtlS);
    },
    find: async (grantId) => {
      const record = await redis.get(grantKeys.grant(grantId));
      return record === null ? undefined : decodeGrant(record);
    },
    findWithGeneration: async (grantId) => {
      const record = await redis.get(grantKeys.grant(grantId));
      return record === null ? undefined : { grant: decodeGrant(record), generation: generationOf(record) };
    },
    rotate: async ({ grantId, generation, clientId, now, idleTtlS, leewayS }) => {
      const answer = await rotateRefreshToken(
        redis,
        [grantKeys.grant(grantId), grantKeys.revoked(grantId)],
        [generation, clientId, now, idleTtlS, revocationTtlS, leewayS],
      );
      return toOutcome(answer as readonly [RotateOutcome['kind'], string?]); // as the script's head says
    },
    revoke: async (grantId, reason) => {
      const { code, grant, device, revoked } = grantKeys;
      const keys = [code(grantId), grant(grantId), device(grantId), revoked(grantId)];
      return (await revokeGrant(redis, keys, [reason, revocationTtlS])) === 1;
    },
    isRevoked: async (grantId) => (await redis.exists(grantKeys.revoked(grantId))) === 1,
  };
}

function toOutcome([kind, generation]: readonly [RotateOutcome['kind'], string?]): RotateOutcome {
  return kind === 'rotated' || kind === 'repeated' ? { kind, generation: Number(generation) } : { kind };
}
