import { defineScript, type RedisConnection } from '@trellis/redis';
import type { Sealer } from '../secrets/sealing.ts';
import { equalsConstantTime } from '../secrets/secrets.ts';
import { grantKeys } from './grant-keys.ts';
import { encodeGrant, type Grant } from './grant-record.ts';
import { createSealedJson } from '../secrets/sealed-json.ts';
import type { TokenBinding } from '../tokens/token-binding.ts';

/** What a device asks for. */
export interface DeviceRequest {
  readonly clientId: string;
  readonly clientIncarnation: string;
  readonly scopes: readonly string[];
  readonly audience: string;
}

/** A request that waits for a user. */
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

/** A question of a device, and what the grant is to be bound to. */
export interface DevicePoll extends TokenBinding {
  readonly grantId: string;
  readonly secretHash: string;
  readonly clientId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly idleTtlS: number;
}

/** How it is answered. See `poll-device-code-2.lua`. */
export type PollOutcome =
  | { readonly kind: 'allowed'; readonly grant: Grant }
  | { readonly kind: 'pending' | 'hasty' | 'denied' | 'expired' | 'unknown' };

/** Devices that wait for a user. RFC 8628 */
export interface DeviceStore {
  save(device: NewDevice): Promise<void>;
  /** Finds what a user is to decide on. */
  findPending(userCode: string): Promise<PendingDevice | undefined>;
  /** Atomic. @returns whether there was something to decide */
  allow(grantId: string, grant: Grant): Promise<boolean>;
  /** Atomic. @returns whether there was something to decide */
  deny(grantId: string): Promise<boolean>;
  /** Atomic: of any number of callers one gets `allowed`. */
  poll(poll: DevicePoll): Promise<PollOutcome>;
}

/** Seconds for which a record outlives its code, so that the device gets expired_token. */
const AFTERLIFE_S = 300;
/** RFC 8628 §3.5 */
const SLOW_DOWN_S = 5;

const pollDeviceCode = defineScript(new URL('../../src/grants/poll-device-code-2.lua', import.meta.url));
const decideDevice = defineScript(new URL('../../src/grants/decide-device-1.lua', import.meta.url));

/** What is sealed of a device that waits, and of one that a user has allowed. Each has a place of its own. */
interface SealedRequest {
  readonly secretHash: string;
  readonly request: DeviceRequest;
}
interface SealedGrant {
  readonly secretHash: string;
  readonly grant: Grant;
}

/** The line of a record that is sealed. See `poll-device-code-2.lua`. */
const SEALED_LINE = 6;

/**
 * Devices in Redis. What the scripts read and change stands in the clear; who asks for what, by which secret, and what was
 * allowed, is sealed, so that writing to Redis can't get a device allowed by another's consent.
 */
export function createDeviceStore(redis: RedisConnection, sealer: Sealer): DeviceStore {
  const records = createDeviceRecords(sealer);
  const userCodes = createSealedJson<string>(sealer);
  const findRecord = async (grantId: string): Promise<DeviceRecord | undefined> =>
    records.read(grantId, await redis.get(grantKeys.device(grantId)));
  const decide = async (grantId: string, state: 'allowed' | 'denied', sealed: string): Promise<boolean> =>
    (await decideDevice(redis, [grantKeys.device(grantId)], [state, sealed])) === 1;
  const ask = async (poll: DevicePoll): Promise<PollResult> =>
    askRedis(redis, sealer, poll, await findRecord(poll.grantId));
  return {
    save: async ({ grantId, userCode, secretHash, request, now, lifetimeS, intervalS }) => {
      const times = [now + lifetimeS * 1000, intervalS * 1000, 0];
      const sealed = records.sealRequest(grantId, { secretHash, request });
      const record = ['pending', secretHash, request.clientId, ...times, sealed].join('\n');
      await redis.set(grantKeys.device(grantId), record, 'EX', lifetimeS + AFTERLIFE_S);
      const key = userCodeKeyOf(userCode);
      await redis.set(key, userCodes.seal(key, grantId), 'EX', lifetimeS);
    },
    findPending: async (userCode) => {
      const key = userCodeKeyOf(userCode);
      const grantId = userCodes.open(key, await redis.get(key));
      const record = grantId === undefined ? undefined : await findRecord(grantId);
      if (grantId === undefined || record?.kind !== 'pending') return undefined;
      return { grantId, request: record.request };
    },
    allow: async (grantId, grant) => {
      const record = await findRecord(grantId);
      if (record?.kind !== 'pending') return false;
      return decide(grantId, 'allowed', records.sealGrant(grantId, { secretHash: record.secretHash, grant }));
    },
    deny: (grantId) => decide(grantId, 'denied', ''),
    poll: async (poll) => {
      // The state may change between the reading and the script, which then asks for the grant that it lacks, once.
      const response = await ask(poll);
      const outcome = response.kind === 'again' ? await ask(poll) : response;
      return outcome.kind === 'again' ? { kind: 'unknown' } : outcome;
    },
  };
}

type DeviceRecord =
  ({ readonly kind: 'pending' } & SealedRequest) | ({ readonly kind: 'allowed' } & SealedGrant);

interface DeviceRecords {
  sealRequest(grantId: string, request: SealedRequest): string;
  sealGrant(grantId: string, grant: SealedGrant): string;
  /** Undefined for a device that does not exist, has had its response, or was written by someone else. */
  read(grantId: string, record: string | null): DeviceRecord | undefined;
}

function createDeviceRecords(sealer: Sealer): DeviceRecords {
  const requests = createSealedJson<SealedRequest>(sealer);
  const grants = createSealedJson<SealedGrant>(sealer);
  const pendingPlace = (grantId: string): string => `${grantKeys.device(grantId)} pending`;
  const allowedPlace = (grantId: string): string => `${grantKeys.device(grantId)} allowed`;
  return {
    sealRequest: (grantId, request) => requests.seal(pendingPlace(grantId), request),
    sealGrant: (grantId, grant) => grants.seal(allowedPlace(grantId), grant),
    read: (grantId, record) => {
      const lines = record?.split('\n') ?? [];
      const sealed = lines[SEALED_LINE];
      const pending = lines[0] === 'pending' ? requests.open(pendingPlace(grantId), sealed) : undefined;
      if (pending) return { kind: 'pending', ...pending };
      const allowed = lines[0] === 'allowed' ? grants.open(allowedPlace(grantId), sealed) : undefined;
      return allowed && { kind: 'allowed', ...allowed };
    },
  };
}

type PollResult = PollOutcome | { readonly kind: 'again' };

/** Runs the script with the grant that begins when the user has allowed it, bound to what the device has shown. */
async function askRedis(
  redis: RedisConnection,
  sealer: Sealer,
  poll: DevicePoll,
  record: DeviceRecord | undefined,
): Promise<PollResult> {
  const { grantId, secretHash, clientId, now, idleTtlS, keyThumbprint, certificateThumbprint } = poll;
  if (record && !isOwn(record, poll)) return { kind: 'unknown' };
  const grant =
    record?.kind === 'allowed' ? { ...record.grant, keyThumbprint, certificateThumbprint } : undefined;
  const key = grantKeys.grant(grantId);
  const encoded = grant ? encodeGrant(sealer, key, grant, { generation: 1, rotatedAt: grant.createdAt }) : '';
  const args = [secretHash, clientId, now, idleTtlS, SLOW_DOWN_S, encoded];
  const outcome = await pollDeviceCode(redis, [grantKeys.device(grantId), key], args);
  const kind = outcome as PollResult['kind']; // as the script's head says
  if (kind !== 'allowed') return { kind };
  return grant ? { kind, grant } : { kind: 'unknown' };
}

/** Whether the sealed part names the secret and the client of the one who polls. */
function isOwn(record: DeviceRecord, { secretHash, clientId }: DevicePoll): boolean {
  const { clientId: sealedClient } = record.kind === 'pending' ? record.request : record.grant;
  return equalsConstantTime(record.secretHash, secretHash) && sealedClient === clientId;
}

function userCodeKeyOf(userCode: string): string {
  return `user-code:{${userCode}}`;
}
