import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createRecordSigners, generateRecordKey, type RecordSigners } from '@trellis/registry';
import { writePrivateFile } from '../platform/private-file.ts';

/** Where the platform's own registry is in its data directory. */
export interface OwnRegistryFiles {
  /** The registry itself. */
  readonly registry: string;
  /** The private key, for its owner alone. Outside of the registry: who copies that does not copy the key. */
  readonly signingKey: string;
  /** The keys whose records count, as `--trust` and a gateway's `registry.trust` take them. */
  readonly trust: string;
}

/** The files of a data directory. */
export function ownRegistryFiles(dataDirectory: string): OwnRegistryFiles {
  return {
    registry: join(dataDirectory, 'registry'),
    signingKey: join(dataDirectory, 'registry-signing-key.json'),
    trust: join(dataDirectory, 'registry-trust.json'),
  };
}

/**
 * The keys that sign: those given, else that of the data directory, which is made the first time. Their public halves are written
 * beside the registry.
 *
 * @throws RegistryError INVALID_KEY; Error with a system call for files
 */
export async function openOwnKey(files: OwnRegistryFiles, given: string | undefined): Promise<RecordSigners> {
  await mkdir(dirname(files.trust), { recursive: true, mode: 0o700 });
  const signers = await createRecordSigners(given ?? (await storedKey(files.signingKey)));
  const all = [signers.signer, ...signers.otherSigners];
  writePrivateFile(files.trust, { keys: all.map(({ publicKey, keyId }) => ({ ...publicKey, kid: keyId })) });
  return signers;
}

async function storedKey(file: string): Promise<string> {
  const stored = await readFile(file, 'utf8').catch(absent);
  if (stored !== undefined) return stored;
  const key = await generateRecordKey();
  writePrivateFile(file, key);
  return JSON.stringify(key);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
