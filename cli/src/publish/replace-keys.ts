import {
  appendRecord,
  formatLogName,
  RegistryError,
  type LogName,
  type TrustedKeys,
} from '@trellis/registry';
import type { SigningAccess } from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { recordDocument } from './describe-record.ts';

/** Appends a record that names the keys which sign from the next one on; a current one signs it. @throws RegistryError */
export async function replaceKeys(
  access: SigningAccess,
  log: LogName,
  { keys, keyIds }: TrustedKeys,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { head } = await appendRecord({ ...access, log, signal }, async (current) => {
    if (!current) throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no release yet.`);
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
