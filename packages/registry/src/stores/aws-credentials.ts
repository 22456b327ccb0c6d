import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { RegistryError } from '../registry-error.ts';

/** What requests to an object store are signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  /** Undefined: what the host says, or us-east-1. */
  readonly region: string | undefined;
}

/** Variables of a program. */
type Environment = Readonly<Record<string, string | undefined>>;

/** A file is read again after that time: short-lived credentials are replaced there. */
const READ_AGAIN_MS = 60_000;

/**
 * Credentials by the names that programs for AWS share: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`; or the
 * profile `AWS_PROFILE` of the file `AWS_SHARED_CREDENTIALS_FILE`, `~/.aws/credentials`. `AWS_REGION` or `AWS_DEFAULT_REGION` is the
 * region. No message has any of them.
 *
 * @returns what reads them, asked for before each request; it throws RegistryError NO_RIGHT where there are none
 */
export function awsCredentials(environment: Environment): () => Promise<AwsCredentials> {
  const named = fromEnvironment(environment);
  if (named) return () => Promise.resolve(named);
  let known: { readonly credentials: AwsCredentials; readonly untilMs: number } | undefined;
  return async () => {
    if (!known || known.untilMs < Date.now())
      known = { credentials: await fromFile(environment), untilMs: Date.now() + READ_AGAIN_MS };
    return known.credentials;
  };
}

function fromEnvironment(environment: Environment): AwsCredentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!accessKeyId || !secretAccessKey) return undefined;
  const sessionToken = environment['AWS_SESSION_TOKEN'] || undefined;
  return { accessKeyId, secretAccessKey, sessionToken, region: regionOf(environment) };
}

async function fromFile(environment: Environment): Promise<AwsCredentials> {
  const file = environment['AWS_SHARED_CREDENTIALS_FILE'] || join(homedir(), '.aws/credentials');
  const profile = environment['AWS_PROFILE'] || 'default';
  const text = await readIfPresent(file);
  const values = sectionOf(text, profile);
  const [accessKeyId, secretAccessKey] = [
    values.get('aws_access_key_id'),
    values.get('aws_secret_access_key'),
  ];
  if (!accessKeyId || !secretAccessKey)
    throw new RegistryError(
      'NO_RIGHT',
      `An object store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile ${profile} in ${file}.`,
    );
  const region = regionOf(environment) ?? values.get('region');
  return { accessKeyId, secretAccessKey, sessionToken: values.get('aws_session_token'), region };
}

function regionOf(environment: Environment): string | undefined {
  return environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || undefined;
}

/** `[default]`, then a line `name = value` each. */
function sectionOf(text: string, name: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, header] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    if (header !== undefined) section = header.trim();
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(\S+)\s*$/.exec(line) ?? [];
    if (section === name && key !== undefined && value !== undefined) values.set(key, value);
  }
  return values;
}

/** A file that can't be read is not taken for one that is absent. */
function readIfPresent(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '';
    throw new RegistryError('NO_RIGHT', `${file} can not be read: ${String(cause)}.`, { cause });
  });
}
