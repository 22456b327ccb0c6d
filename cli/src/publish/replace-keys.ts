import {
  appendRecord,
  formatLogName,
  RegistryError,
  verifyLog,
  type LogName,
  TrustedKeys,
  type VerifiedHead,
} from '@trellis/registry';
import type { SigningAccess } from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { recordDocument } from './describe-record.ts';

/**
 * Appends a record that names the keys which sign from the next one on; a current one signs it.
 *
 * @throws RegistryError, INVALID_KEY for a key that the log has replaced: it may be the one that was stolen
 */
export async function replaceKeys(
  access: SigningAccess,
  log: LogName,
  { keys, keyIds }: TrustedKeys,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { head } = await appendRecord({ ...access, log, signal }, async (current) => {
    if (!current) throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no release yet.`);
    await assertNoneReplaced(access, log, { current, keyIds }, signal);
    const { release, routing, variants } = current.record;
    return { release, routing, variants, keys, action: 'keys', actor: access.actor, approvals: [] };
  });
  return {
    exit: 0,
    lines: [
      `${formatLogName(log)} ${head.record.sequence}: the next record is signed by ${keyIds.join(' or ')}.`,
    ],
    document: { outcome: 'replaced', record: recordDocument(head) },
  };
}

/** Keys that have signed the log, or were named in it, and sign it no longer. */
async function assertNoneReplaced(
  { store, trust }: SigningAccess,
  log: LogName,
  { current, keyIds }: { readonly current: VerifiedHead; readonly keyIds: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const known = new Set<string>();
  const named: Promise<TrustedKeys>[] = [];
  await verifyLog(store, log, trust, {
    signal,
    onRecord: ({ keyId, record: { keys } }) => {
      known.add(keyId);
      if (keys) named.push(TrustedKeys.from(keys));
    },
  });
  for (const one of await Promise.all(named)) for (const keyId of one.keyIds) known.add(keyId);
  const replaced = keyIds.find((keyId) => known.has(keyId) && !current.nextKeys.find(keyId));
  if (replaced === undefined) return;
  throw new RegistryError(
    'INVALID_KEY',
    `${formatLogName(log)} has replaced the key ${replaced} before. Make a new one: trellis keys new.`,
  );
}
