import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { dataDirectoryArgument, serverEnvironment } from './server-process.ts';

/** The superuser that initdb makes. */
export const SUPERUSER = 'postgres';

/** Where a cluster is made, by whom, and how carefully. */
export interface ClusterOptions {
  readonly dataDirectory: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly password: string;
  /** Whether initdb flushes its files to the disk. */
  readonly sync: boolean;
}

/** @returns whether there is a cluster already */
export function hasCluster(dataDirectory: string): boolean {
  return existsSync(join(dataDirectory, 'PG_VERSION'));
}

/**
 * Makes a database cluster in UTF-8 with an order of text that does not depend on the machine. It is made beside its
 * place and moved there when whole, so that an interrupted attempt leaves nothing that looks like a cluster.
 *
 * @throws EmbeddedPostgresError with the words of initdb
 */
export async function initializeCluster(options: ClusterOptions): Promise<void> {
  const draft = `${options.dataDirectory}.new`;
  rmSync(draft, { recursive: true, force: true });
  makePrivateDirectory(draft, options.account);
  await runInitdb(options, draft);
  renameSync(draft, options.dataDirectory);
}

/** @throws EmbeddedPostgresError when the cluster was made by another major release, whose files this one can't read */
export function requireSameMajor(dataDirectory: string, binaries: Binaries): void {
  const found = readFileSync(join(dataDirectory, 'PG_VERSION'), 'utf8').trim();
  const major = binaries.version.split('.')[0];
  if (found === major) return;
  throw new EmbeddedPostgresError(
    `The data in ${dataDirectory} were written by PostgreSQL ${found}; this is PostgreSQL ${binaries.version}, which ` +
      'can not read them. Dump them with the old release, or move the directory elsewhere to begin with new data.',
  );
}

/** The superuser's password, made once and stored in a file that only its owner reads. */
export function superuserPassword(directory: string): string {
  const file = join(directory, 'password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}

function makePrivateDirectory(directory: string, account: Account | undefined): void {
  mkdirSync(directory, { mode: 0o700 });
  chmodSync(directory, 0o700);
  if (account) chownSync(directory, account.uid, account.gid);
}

/**
 * The password travels through two pipes: /dev/stdin can't be opened when it is the socket that Node makes, so `cat`
 * turns it into a pipe. It is never on a command line, in an environment or in a file that others could read.
 */
async function runInitdb(options: ClusterOptions, directory: string): Promise<void> {
  const initdb = spawn(
    '/bin/sh',
    ['-c', 'cat | "$@"', 'initdb', options.binaries.initdb, ...initdbArguments(options, directory)],
    {
      cwd: directory,
      env: serverEnvironment,
      stdio: ['pipe', 'ignore', 'pipe'],
      ...(options.account && { uid: options.account.uid, gid: options.account.gid }),
    },
  );
  const status = new Promise<number | null>((resolve, reject) => {
    initdb.once('error', reject);
    initdb.once('close', resolve);
  });
  initdb.stdin.on('error', () => undefined); // it ended early, which its status shows
  initdb.stdin.end(`${options.password}\n`);
  const [problem, code] = await Promise.all([text(initdb.stderr), status]);
  if (code !== 0) throw new EmbeddedPostgresError(`PostgreSQL could not be initialized: ${problem.trim()}`);
}

function initdbArguments(options: ClusterOptions, directory: string): readonly string[] {
  return [
    `--pgdata=${dataDirectoryArgument(directory, options.binaries)}`,
    `--username=${SUPERUSER}`,
    '--pwfile=/dev/stdin',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...localeArguments(options.binaries),
    '--no-instructions',
    ...(options.sync ? [] : ['--no-sync']),
  ];
}

/** The built-in provider came with 17; before it ICU does the same for all of Unicode. */
function localeArguments({ version }: Binaries): readonly string[] {
  return Number.parseInt(version, 10) >= 17
    ? ['--locale-provider=builtin', '--locale=C.UTF-8']
    : ['--locale-provider=icu', '--icu-locale=und', '--locale=C'];
}
