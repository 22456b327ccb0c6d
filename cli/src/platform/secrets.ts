import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateServiceKey } from '@trellis/subgraph-protocol';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { writePrivateFile } from './private-file.ts';

/** The secrets of the deployables of one platform; made once, stored in the data directory. */
export interface PlatformSecrets {
  readonly keyEncryptionSecret: string;
  readonly cookieSecret: string;
  /** The gateway's key for user contexts, an EC P-256 private key. */
  readonly userContextKey: JWK;
  /** The keys by which services name themselves to one another, by service. */
  readonly serviceKeys: Readonly<Record<ServiceName, JWK>>;
  /** The passwords of the services' database roles are derived from it. */
  readonly databaseSecret: string;
}

/** The services that call one another. */
const serviceNames = ['users', 'posts', 'comments', 'search'] as const;

/** One of them. */
export type ServiceName = (typeof serviceNames)[number];

const FILE = 'secrets.json';

/**
 * Reads the secrets, or makes them the first time. The file is readable by its owner alone.
 *
 * @throws Error when the file exists and can't be read: the data would be lost without it
 */
export async function loadSecrets(dataDirectory: string): Promise<PlatformSecrets> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const file = join(dataDirectory, FILE);
  const known = readIfThere(file);
  if (isComplete(known)) return known;
  const fresh = await makeSecrets();
  const complete = { ...fresh, ...known, serviceKeys: { ...fresh.serviceKeys, ...known?.serviceKeys } };
  writePrivateFile(file, complete);
  return complete;
}

/** The password of one service's database role. */
export function rolePassword(secrets: PlatformSecrets, role: string): string {
  return createHmac('sha256', secrets.databaseSecret).update(role).digest('base64url');
}

/** Makes new random secrets. */
export async function makeSecrets(): Promise<PlatformSecrets> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    keyEncryptionSecret: randomBytes(32).toString('base64url'),
    cookieSecret: randomBytes(32).toString('base64url'),
    databaseSecret: randomBytes(32).toString('base64url'),
    serviceKeys: await makeServiceKeys(),
    userContextKey: { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'ES256', use: 'sig' },
  };
}

async function makeServiceKeys(): Promise<PlatformSecrets['serviceKeys']> {
  const entries = serviceNames.map(async (name) => [name, await generateServiceKey(name)] as const);
  return Object.fromEntries(await Promise.all(entries)) as PlatformSecrets['serviceKeys']; // one entry a service
}

/** Whether the latest addition exists as well. */
function isComplete(secrets: Partial<PlatformSecrets> | undefined): secrets is PlatformSecrets {
  return secrets?.serviceKeys?.search !== undefined;
}

/** A file that an earlier version wrote lacks what came later. */
function readIfThere(file: string): Partial<PlatformSecrets> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<PlatformSecrets>; // written by loadSecrets
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `${file} is not readable. It holds this platform's secrets: restore it, or move the data directory aside.`,
      { cause },
    );
  }
}
