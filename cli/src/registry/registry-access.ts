import { userInfo } from 'node:os';
import {
  createRecordSigners,
  openRegistry,
  parseLogName,
  RegistryError,
  registryAuthorization,
  trustIn,
  TrustedKeys,
  type LogName,
  type RecordSigners,
  type RegistryStore,
} from '@trellis/registry';
import { readKeyText } from './key-text.ts';

/** How a command line names a registry. What it leaves out comes from the environment. */
export interface RegistryOptions {
  readonly registry?: string;
  readonly trust?: string;
  readonly key?: string;
}

/** How a command line names the log of a graph. */
export interface GraphOptions extends RegistryOptions {
  readonly graph?: string;
}

/** How a command line names a log that it appends to, and who does it. */
export interface AppendOptions extends GraphOptions {
  /** @default as CI or the machine says */
  readonly actor?: string;
}

/** Variables of a command. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A registry with the right to read. */
export interface RegistryAccess {
  readonly store: RegistryStore;
  readonly trust: TrustedKeys;
}

/** A registry with the right to publish. */
export interface SigningAccess extends RegistryAccess, Omit<RecordSigners, 'otherSigners'> {
  /** @default none */
  readonly otherSigners?: RecordSigners['otherSigners'] | undefined;
  readonly actor: string;
}

/** The store of `--registry` or `TRELLIS_REGISTRY`. @throws RegistryError */
export function storeOf({ registry }: RegistryOptions, env: Environment): RegistryStore {
  const location = registry ?? env['TRELLIS_REGISTRY'];
  if (location !== undefined && location !== '')
    return openRegistry(location, { environment: env, authorize: registryAuthorization(env) });
  throw new RegistryError('INVALID_NAME', 'Say which registry: --registry FOLDER, or TRELLIS_REGISTRY.');
}

/** The log of `--graph` or `TRELLIS_GRAPH`. @throws RegistryError */
export function logOf({ graph }: GraphOptions, env: Environment): LogName {
  const name = graph ?? env['TRELLIS_GRAPH'];
  if (name !== undefined && name !== '') return parseLogName(name);
  throw new RegistryError('INVALID_NAME', 'Say which graph: --graph content@production, or TRELLIS_GRAPH.');
}

/**
 * A registry for reading. The keys that may sign its first record are those of `--trust` or `TRELLIS_REGISTRY_TRUST` (a file, or the
 * JWK set itself); without them, the public parts of the signing keys.
 *
 * @throws RegistryError; the keys are in no message
 */
export async function openForReading(options: RegistryOptions, env: Environment): Promise<RegistryAccess> {
  const store = storeOf(options, env);
  const given = options.trust ?? env['TRELLIS_REGISTRY_TRUST'];
  if (given !== undefined && given !== '')
    return {
      store,
      trust: await TrustedKeys.parse(await readKeyText(given, '--trust or TRELLIS_REGISTRY_TRUST')),
    };
  const key = await signingKey(options, env);
  if (key === undefined)
    throw new RegistryError(
      'INVALID_KEY',
      'Say whose records count: --trust FILE, or TRELLIS_REGISTRY_TRUST, with a JWK set. trellis keys new makes one.',
    );
  return { store, trust: await trustIn(await createRecordSigners(key)) };
}

/** A registry for publishing. @throws RegistryError; the keys are in no message */
export async function openForPublishing(
  options: Pick<AppendOptions, keyof RegistryOptions | 'actor'>,
  env: Environment,
): Promise<SigningAccess> {
  const access = await openForReading(options, env);
  const key = await signingKey(options, env);
  if (key === undefined)
    throw new RegistryError(
      'INVALID_KEY',
      'Say which key signs: --key FILE, or TRELLIS_SIGNING_KEY. trellis keys new makes one.',
    );
  return { ...access, ...(await createRecordSigners(key)), actor: options.actor ?? actorOf(env) };
}

/** The user that CI names, or the one of the machine. */
function actorOf(env: Environment): string {
  const named = env['TRELLIS_ACTOR'] ?? env['GITHUB_ACTOR'] ?? env['GITLAB_USER_LOGIN'];
  return (named ?? userInfo().username).slice(0, 256);
}

async function signingKey({ key }: RegistryOptions, env: Environment): Promise<string | undefined> {
  const given = key ?? env['TRELLIS_SIGNING_KEY'];
  return given === undefined || given === '' ? undefined : readKeyText(given, '--key or TRELLIS_SIGNING_KEY');
}
