import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Account } from './account.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** The programs of one PostgreSQL release. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** For example `18.4`. */
  readonly version: string;
}

/** Settings of {@link prepareBinaries}. */
export interface BinariesOptions {
  /** A folder with `initdb` and `postgres`. @default that of the package for this platform */
  readonly directory?: string;
  /** Who must be able to run them. @default ourselves */
  readonly account?: Account | undefined;
  /** Where a copy goes that the account can reach. @default '/var/lib/trellis' */
  readonly copiesDirectory?: string;
  /** Operating system and processor, as Node names them: `linux-x64`. @default those of this process */
  readonly platform?: string;
  /** Finds the main file of a package; throws where it is not installed. @default from this package */
  readonly resolvePackage?: (name: string) => string;
}

const COPIES_DIRECTORY = '/var/lib/trellis';
const WAY_ROUND = 'set DATABASE_URL to a PostgreSQL 15 or later';

/** For these there is a package, an optional dependency of this one. */
export const EMBEDDED_PLATFORMS: readonly string[] = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64',
  'linux-x64',
];

/**
 * Finds binaries that the account can run. Where the installed ones lie below a directory that only root may enter, a
 * copy is made once a release, owned by root and readable by all.
 *
 * @throws EmbeddedPostgresError when there are none for this platform, or they don't run here
 */
export function prepareBinaries(options: BinariesOptions): Binaries {
  const directory = options.directory ?? installedDirectory(options);
  const asAccount = versionOf(directory, options.account);
  if (asAccount.version) return binariesIn(directory, asAccount.version);
  const asOurselves = options.account ? versionOf(directory) : asAccount;
  if (!asOurselves.version) throw new EmbeddedPostgresError(describeFailure(directory, asOurselves.problem));
  const copy = copyBinaries(directory, options.copiesDirectory ?? COPIES_DIRECTORY);
  const ofCopy = versionOf(copy, options.account);
  if (!ofCopy.version) throw new EmbeddedPostgresError(describeFailure(copy, ofCopy.problem));
  return binariesIn(copy, ofCopy.version);
}

function binariesIn(directory: string, version: string): Binaries {
  return { initdb: join(directory, 'initdb'), postgres: join(directory, 'postgres'), version };
}

/** The `bin` folder of the optional dependency that holds this platform's binaries. */
function installedDirectory({
  platform = `${process.platform}-${process.arch}`,
  resolvePackage = createRequire(import.meta.url).resolve,
}: BinariesOptions): string {
  if (!EMBEDDED_PLATFORMS.includes(platform))
    throw new EmbeddedPostgresError(`There is no embedded PostgreSQL for ${platform}: ${WAY_ROUND}.`);
  const name = `@embedded-postgres/${platform}`;
  try {
    return join(dirname(resolvePackage(name)), '..', 'native', 'bin');
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL is not installed (${name}, an optional dependency): install it, or ${WAY_ROUND}.`,
      { cause },
    );
  }
}

/** Runs the server for its version, which also shows whether the account reaches it and its libraries. */
function versionOf(directory: string, account?: Account): { version?: string; problem: string } {
  const result = spawnSync(join(directory, 'postgres'), ['--version'], {
    cwd: '/',
    encoding: 'utf8',
    timeout: 10_000,
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  const version = /\(PostgreSQL\) (\S+)/.exec(result.stdout ?? '')?.[1];
  return version === undefined ? { problem: problemOf(directory, result) } : { version, problem: '' };
}

/** Where the file exists, ENOENT is about the loader that it names: that of glibc, which musl does not have. */
function problemOf(directory: string, { error, stderr }: SpawnSyncReturns<string>): string {
  const hasNoLoader =
    error !== undefined &&
    'code' in error &&
    error.code === 'ENOENT' &&
    existsSync(join(directory, 'postgres'));
  if (hasNoLoader) return 'the loader of its libraries is missing, as on Linux with musl';
  const [line = ''] = (error?.message ?? stderr).trim().split('\n');
  return line || 'no reason given';
}

function describeFailure(directory: string, problem: string): string {
  return `The PostgreSQL in ${directory} does not run on this machine (${problem}): ${WAY_ROUND}.`;
}

/** Copies `bin`, `lib` and `share`; the copy appears whole, by a rename, or not at all. */
function copyBinaries(directory: string, copiesDirectory: string): string {
  const source = dirname(directory);
  const target = join(copiesDirectory, `postgresql-${identityOf(source)}`);
  if (existsSync(target)) return join(target, 'bin');
  makeReachable(copiesDirectory);
  const draft = `${target}.${process.pid}`;
  cpSync(source, draft, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  openToAll(draft);
  moveIntoPlace(draft, target);
  return join(target, 'bin');
}

function makeReachable(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  chmodSync(directory, 0o755); // whatever the umask says
}

/** Another process may have made the same copy meanwhile. */
function moveIntoPlace(draft: string, target: string): void {
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

/** Changes with the release, and with the installation: an upgrade gets a copy of its own. */
function identityOf(source: string): string {
  const { mtimeMs, size } = lstatSync(join(source, 'bin', 'postgres'));
  return createHash('sha256').update(`${source} ${mtimeMs} ${size}`).digest('hex').slice(0, 16);
}

function isNeeded(path: string): boolean {
  return !path.endsWith('.a') && !path.endsWith('/pkgconfig');
}

function openToAll(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  const executable = stat.isDirectory() || (stat.mode & 0o100) !== 0;
  chmodSync(path, executable ? 0o755 : 0o644);
  if (stat.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
