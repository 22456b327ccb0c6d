import { defineScript, type RedisConnection } from '@trellis/redis';
import { grantKeys } from './grant-keys.ts';
import { decodeGrant, encodeGrant, type Grant } from './grant-record.ts';

/** What a device asks for. */
export interface DeviceRequest {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly audience: string;
}

/** A request that waits for a person. */
export interface PendingDevice {
  readonly grantId: string;
  readonly request: DeviceRequest;
}

/** A new request of a device. */
export interface NewDevice extends PendingDevice {
  readonly userCode: string;
  readonly secretHash: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly lifetimeS: number;
  readonly intervalS: number;
}

/** A question of a device. */
export interface DevicePoll {
  readonly grantId: string;
  readonly secretHash: string;
  readonly clientId: string;
  /** Thumbprint of the key that the grant is to be bound to. */
  readonly keyThumbprint: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly idleTtlS: number;
}

/** How it is answered. See `poll-device-code-2.lua`. */
export type PollOutcome =
  | { readonly kind: 'allowed'; readonly grant: Grant }
  | { readonly kind: 'pending' | 'hasty' | 'denied' | 'expired' | 'unknown' };

/** Devices that wait for a person. RFC 8628 */
export interface DeviceStore {
  save(device: NewDevice): Promise<void>;
  /** Finds what a person is to decide on. */
  findPending(userCode: string): Promise<PendingDevice | undefined>;
  /** Atomic. @returns whether there was something to decide */
  allow(grantId: string, grant: Grant): Promise<boolean>;
  /** Atomic. @returns whether there was something to decide */
  deny(grantId: string): Promise<boolean>;
  /** Atomic: of any number of callers one gets `allowed`. */
  poll(poll: DevicePoll): Promise<PollOutcome>;
}

/** Seconds for which a record outlives its code, so that the device is told that it has expired. */
const AFTERLIFE_S = 300;
/** RFC 8628 §3.5 */
const SLOW_DOWN_S = 5;

const pollDeviceCode = defineScript(new URL('../../src/stores/poll-device-code-2.lua', import.meta.url));
const decideDevice = defineScript(new URL('../../src/stores/decide-device-1.lua', import.meta.url));

/** Devices in Redis. */
export function createDeviceStore(redis: RedisConnection): DeviceStore {
  return {
    save: async ({ grantId, userCode, secretHash, request, now, lifetimeS, intervalS }) => {
      const times = [now + lifetimeS * 1000, intervalS * 1000, 0];
      const record = ['pending', secretHash, request.clientId, ...times, JSON.stringify(request)].join('\n');
      await redis.set(grantKeys.device(grantId), record, 'EX', lifetimeS + AFTERLIFE_S);
      await redis.set(userCodeKeyOf(userCode), grantId, 'EX', lifetimeS);
    },
    findPending: async (userCode) => {
      const grantId = await redis.get(userCodeKeyOf(userCode));
      const record = grantId === null ? null : await redis.get(grantKeys.device(grantId));
      if (grantId === null || !record?.startsWith('pending\n')) return undefined;
      const json = record.split('\n')[6] ?? '';
      return { grantId, request: JSON.parse(json) as DeviceRequest }; // written by save above
    },
    allow: async (grantId, grant) => {
      const record = encodeGrant(grant, 1, grant.createdAt);
      return (await decideDevice(redis, [grantKeys.device(grantId)], ['allowed', record])) === 1;
    },
    deny: async (grantId) => (await decideDevice(redis, [grantKeys.device(grantId)], ['denied', ''])) === 1,
    poll: async ({ grantId, secretHash, clientId, keyThumbprint = '', now, idleTtlS }) => {
      const keys = [grantKeys.device(grantId), grantKeys.grant(grantId)];
      const args = [secretHash, clientId, now, idleTtlS, SLOW_DOWN_S, keyThumbprint];
      const answer = await pollDeviceCode(redis, keys, args);
      return toOutcome(answer as readonly [PollOutcome['kind'], string?]); // as the script's head says
    },
  };
}

function toOutcome([kind, record]: readonly [PollOutcome['kind'], string?]): PollOutcome {
  return kind === 'allowed' ? { kind, grant: decodeGrant(record ?? '') } : { kind };
}

function userCodeKeyOf(userCode: string): string {
  return `user-code:{${userCode}}`;
}
