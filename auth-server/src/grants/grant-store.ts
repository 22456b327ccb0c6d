import { defineItemScript, defineScript, getTogether, type RedisConnection } from '@trellis/redis';
import type { Sealer } from '../secrets/sealing.ts';
import { createOpenedRecords } from '../secrets/opened-records.ts';
import { grantKeys } from './grant-keys.ts';
import {
  decodeGrant,
  encodeGrant,
  sealGrant,
  type FoundGrant,
  type Grant,
  type GrantProgress,
} from './grant-record.ts';
import type { RevocationReason } from '../audit/revocation-reason.ts';

/** How an attempt to rotate a refresh token ended. See `rotate-refresh-tokens-2-each.lua`. */
export type RotateOutcome =
  | { readonly kind: 'rotated' | 'repeated'; readonly generation: number }
  | { readonly kind: 'reused' | 'gone' };

/** What rotating a refresh token needs to know. */
export interface RotateRequest {
  readonly grantId: string;
  /** Generation of the token that was presented. */
  readonly generation: number;
  readonly grant: FoundGrant;
  /** Seconds since 1970. */
  readonly now: number;
  readonly idleTtlS: number;
  readonly leewayS: number;
  /** Whether the token stays as it is, and only its time is renewed. @default false */
  readonly staysTheSame?: boolean;
}

/** Grants: what codes begin, refresh tokens continue and revocation ends. */
export interface GrantStore {
  /** Begins a grant that no code begins. */
  save(grantId: string, grant: Grant, idleTtlS: number): Promise<void>;
  find(grantId: string): Promise<FoundGrant | undefined>;
  /** The grant, the generation of its live refresh token, and when that was issued. */
  findWithGeneration(grantId: string): Promise<(GrantProgress & { readonly grant: FoundGrant }) | undefined>;
  /** Atomic: of any number of callers with one token one gets `rotated`. */
  rotate(request: RotateRequest): Promise<RotateOutcome>;
  /** Ends a grant with its code or device code, for the revoker alone. Idempotent. @returns whether it was live */
  revoke(grantId: string, reason: RevocationReason): Promise<boolean>;
  /** Those of the grants that are live, or have a code or a device that is. */
  filterLive(grantIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether access tokens of the grant must not be honoured. */
  isRevoked(grantId: string): Promise<boolean>;
}

const rotateRefreshTokens = defineItemScript(
  new URL('../../src/grants/rotate-refresh-tokens-2-each.lua', import.meta.url),
);
const revokeGrant = defineScript(new URL('../../src/grants/revoke-grant-4.lua', import.meta.url));

/**
 * Grants in Redis, sealed: who can write there can't make one.
 *
 * @param revocationTtlS seconds for which a revocation is remembered: the longest lifetime of an access token, and skew
 */
export function createGrantStore(redis: RedisConnection, sealer: Sealer, revocationTtlS: number): GrantStore {
  const opened = createOpenedRecords<FoundGrant>();
  const findWithGeneration: GrantStore['findWithGeneration'] = (grantId) => {
    const key = grantKeys.grant(grantId);
    return getTogether(redis, key).then((record) => {
      if (record !== null) return decodeGrant(sealer, key, record, opened);
      opened.forget(key);
      return undefined;
    });
  };
  return {
    save: async (grantId, grant, idleTtlS) => {
      const key = grantKeys.grant(grantId);
      const progress = { generation: 1, rotatedAt: grant.createdAt };
      await redis.set(key, encodeGrant(sealer, key, grant, progress), 'EX', idleTtlS);
    },
    find: async (grantId) => (await findWithGeneration(grantId))?.grant,
    findWithGeneration,
    rotate: ({ grantId, generation, grant, now, idleTtlS, leewayS, staysTheSame = false }) => {
      const key = grantKeys.grant(grantId);
      const resealed = grant.isOutdated ? sealGrant(sealer, key, grant) : '';
      const keys = [key, grantKeys.revoked(grantId)];
      const times = `${grant.expiresAt} ${now} ${idleTtlS} ${revocationTtlS} ${leewayS}`;
      const numbers = `${generation} ${times} ${staysTheSame ? 1 : 0}`;
      return rotateRefreshTokens(redis, keys, [numbers, resealed]).then(toOutcome);
    },
    revoke: async (grantId, reason) => {
      const { code, grant, device, revoked } = grantKeys;
      const keys = [code(grantId), grant(grantId), device(grantId), revoked(grantId)];
      return (await revokeGrant(redis, keys, [reason, revocationTtlS])) === 1;
    },
    filterLive: async (grantIds) => {
      const { code, grant, device } = grantKeys;
      const live = await Promise.all(
        grantIds.map((grantId) => redis.exists(code(grantId), grant(grantId), device(grantId))),
      );
      return new Set(grantIds.filter((_, index) => (live[index] ?? 0) > 0));
    },
    isRevoked: async (grantId) => (await redis.exists(grantKeys.revoked(grantId))) === 1,
  };
}

/** @param response as the script's head says */
function toOutcome(response: unknown): RotateOutcome {
  const [kind, generation] = (response as string).split(' ') as [RotateOutcome['kind'], string?];
  return kind === 'rotated' || kind === 'repeated' ? { kind, generation: Number(generation) } : { kind };
}
