import { appendAbort, RegistryError, TrustedKeys, type LogName } from '@trellis/registry';
import type { PromotionChecks } from '../publish/check-promotion.ts';
import { deleteUnnamed } from '../publish/collect-garbage.ts';
import type { CommandOutcome } from '../publish/command-outcome.ts';
import { recordDocument } from '../publish/describe-record.ts';
import { replaceKeys } from '../publish/replace-keys.ts';
import { removeVariant, setVariant } from '../publish/set-variant.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import { rulesOf } from './guard-bodies.ts';
import { parsed, type LogChange } from './log-change.ts';
import { abortBody, garbageBody, keysBody, variantBody } from './operator-bodies.ts';

/** Starts, changes or ends a variant. @throws RegistryError INVALID_NAME */
export function variantChange(
  log: LogName,
  body: unknown,
  server: Pick<PromotionChecks, 'operations' | 'limits'>,
): LogChange {
  const asked = parsed(variantBody, body);
  return {
    action: 'variant',
    subgraphs: [],
    requested: { kind: 'move', log },
    act: (access, signal, judge) => {
      if ('remove' in asked) return removeVariant(access, log, asked.remove, signal);
      const checks = { ...server, rules: rulesOf(asked.approvals, asked.rules), judge };
      return setVariant(access, log, asked.set, checks, signal);
    },
  };
}

/** Names the keys that sign from the next record on. @throws RegistryError INVALID_NAME */
export function keysChange(log: LogName, body: unknown): LogChange {
  const { keys } = parsed(keysBody, body);
  return {
    action: 'keys',
    subgraphs: [],
    requested: { kind: 'keys' },
    act: async (access, signal) => {
      const named = await TrustedKeys.from(keys);
      assertOwnKeys(access, named);
      return replaceKeys(access, log, named, signal);
    },
  };
}

/** A token chooses among the keys of the server. It brings none, and leaves no log that nothing can be appended to. */
function assertOwnKeys({ signer, otherSigners = [] }: SigningAccess, { keyIds }: TrustedKeys): void {
  const own = new Set([signer, ...otherSigners].map(({ keyId }) => keyId));
  const foreign = keyIds.find((keyId) => !own.has(keyId));
  if (foreign === undefined) return;
  throw new RegistryError(
    'INVALID_KEY',
    `The server does not have the key ${foreign}. Add its private part to TRELLIS_SIGNING_KEY of each server, start them again, and replace the key then.`,
  );
}

/** Ends a canary that gateways have stopped. @throws RegistryError INVALID_NAME */
export function abortChange(log: LogName, body: unknown): LogChange {
  const stopped = parsed(abortBody, body);
  return {
    action: 'abort',
    subgraphs: [],
    requested: { kind: 'abort', log },
    urgentKey: `${stopped.name} ${stopped.release.digest}`,
    act: async (access, signal): Promise<CommandOutcome> => {
      const { outcome, head } = await appendAbort({ ...access, log, signal }, stopped);
      const document = {
        outcome: outcome === 'unchanged' ? outcome : 'aborted',
        record: recordDocument(head),
      };
      return { exit: 0, lines: [], document };
    },
  };
}

/** Deletes texts that no record names. @throws RegistryError INVALID_NAME */
export function garbageChange(body: unknown): LogChange {
  const request = parsed(garbageBody, body);
  return {
    action: 'gc',
    subgraphs: [],
    requested: { kind: 'clean' },
    act: async (access, signal) => {
      const done = await deleteUnnamed(access, request, signal);
      const outcome = done.exit === 0 ? (request.isDry ? 'counted' : 'collected') : 'partly-collected';
      return { ...done, document: { ...done.document, outcome } };
    },
  };
}
