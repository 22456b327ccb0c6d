import { writeFile } from 'node:fs/promises';
import {
  createRecordSigner,
  generateRecordKey,
  HttpStore,
  RegistryError,
  TrustedKeys,
} from '@trellis/registry';
import {
  logOf,
  openForPublishing,
  storeOf,
  type AppendOptions,
  type Environment,
  type RegistryOptions,
} from '../registry/registry-access.ts';
import { readKeyText } from '../registry/key-text.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { assertHonoured, verifyByOwnTrust } from './options-over-http.ts';
import { replaceKeys } from './replace-keys.ts';
import { submit } from './submit.ts';

/** `trellis registry init`: makes an empty registry of a place. @throws RegistryError */
export async function initializeRegistry(
  options: RegistryOptions,
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const store = storeOf(options, env);
  if (!store.initialize)
    throw new RegistryError('NO_RIGHT', `${store.description} is made by those who run it.`);
  const isNew = await store.initialize(signal);
  return {
    exit: 0,
    lines: [
      isNew
        ? `A registry was made: ${store.description}.`
        : `There is a registry already: ${store.description}.`,
    ],
    document: { outcome: isNew ? 'created' : 'unchanged' },
  };
}

/**
 * `trellis keys new`: a key that signs records. With a file, its private part goes there alone, readable for its owner.
 *
 * @throws Error with a system call where the file exists already
 */
export async function createKeyCommand({ file }: { readonly file?: string }): Promise<CommandOutcome> {
  const key = await generateRecordKey();
  const { publicKey, keyId } = await createRecordSigner(JSON.stringify(key));
  const trust = JSON.stringify({ keys: [{ ...publicKey, kid: keyId }] });
  if (file === undefined)
    return {
      exit: 0,
      lines: [`TRELLIS_SIGNING_KEY='${JSON.stringify(key)}'`, `TRELLIS_REGISTRY_TRUST='${trust}'`],
      document: { signingKey: key, trust: JSON.parse(trust) as unknown, keyId },
    };
  await writeFile(file, `${JSON.stringify(key)}\n`, { mode: 0o600, flag: 'wx' });
  return {
    exit: 0,
    lines: [trust],
    document: { trust: JSON.parse(trust) as unknown, keyId },
  };
}

/**
 * `trellis keys replace`: names the keys that sign from the next record on; a current one signs it. Gateways follow the chain and
 * need no other settings. A server over HTTP takes keys that it has.
 *
 * @throws RegistryError; Error with a system call for files
 */
export async function replaceKeysCommand(
  options: AppendOptions & { readonly with: string },
  env: Environment,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const log = logOf(options, env);
  const named = await TrustedKeys.parse(await readKeyText(options.with, '--with'));
  const store = storeOf(options, env);
  assertHonoured(store, options);
  if (!(store instanceof HttpStore))
    return replaceKeys(await openForPublishing(options, env), log, named, signal);
  await verifyByOwnTrust(options, env, [log], signal);
  return submit(store, log, 'keys', { keys: named.keys }, signal);
}
