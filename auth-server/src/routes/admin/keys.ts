import { z } from 'zod';
import type { AuditFeatures } from '../../audit/audit-features.ts';
import type { KeyFeatures } from '../../keys/key-features.ts';
import { rotateSigningKeys } from '../../keys/signing-keys.ts';
import type { AdminOperation, PerformFeatures } from './admin-operation.ts';

/** What the administration of keys works with. */
export type KeyApiFeatures = KeyFeatures & Pick<AuditFeatures, 'audit'> & PerformFeatures;

/** A signing key as the API shows it. */
export interface KeyJson {
  readonly kid: string;
  readonly algorithm: string;
  readonly state: 'next' | 'active' | 'retired';
  /** Seconds since 1970. */
  readonly created_at: number;
}

const keySchema = z.object({
  kid: z.string(),
  algorithm: z.string(),
  state: z.enum(['next', 'active', 'retired']),
  created_at: z.number(),
});
const rotated = z.object({ activated: z.array(z.string()), wait_seconds: z.number() });

/** Lists the signing keys. */
export const listKeys: AdminOperation<KeyApiFeatures, { keys: readonly KeyJson[] }> = {
  id: 'listKeys',
  method: 'GET',
  path: '/keys',
  scope: 'auth:keys:read',
  summary: 'Lists the signing keys.',
  output: z.object({ keys: z.array(keySchema) }),
  statuses: [200],
  run: async ({ signingKeys }) => {
    const keys = (await signingKeys.store.list()).map(({ kid, algorithm, state, createdAt }) => ({
      kid,
      algorithm,
      state,
      created_at: Math.floor(createdAt / 1000),
    }));
    return { status: 200, body: { keys } };
  },
};

/** Replaces the signing keys: now, or with 202 as soon as the next ones have been published long enough. */
export const rotateKeys: AdminOperation<
  KeyApiFeatures,
  { activated: readonly string[]; wait_seconds: number }
> = {
  id: 'rotateKeys',
  method: 'POST',
  path: '/keys/rotate',
  scope: 'auth:keys:write',
  summary:
    'Replaces the signing keys: now, or with 202 as soon as the next ones have been published long enough.',
  output: rotated,
  statuses: [200, 202],
  run: async ({ signingKeys, audit, keyring }, { administrator: { actor: by } }) => {
    const { activated, waitS } = await rotateSigningKeys(signingKeys, false);
    if (activated.length > 0) audit.record({ event: 'keys_rotated', kids: activated, by });
    await keyring.reload();
    return { status: waitS > 0 ? 202 : 200, body: { activated, wait_seconds: waitS } };
  },
};
