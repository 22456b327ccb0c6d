import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@trellis/runtime';
import { startTimeOf } from '@trellis/dev-stores';
import { writePrivateFile } from './private-file.ts';

/** What a running platform, or an auth-server that runs alone, shares with other commands of the same data directory. */
export interface PlatformFile {
  readonly pid: number;
  readonly startTime: string;
  /** Absent where an auth-server runs alone. */
  readonly gatewayUrl?: string;
  readonly issuer: string;
  /** Where each deployable listens, by its name. */
  readonly services: Readonly<Record<string, string>>;
  /** The auth-server's environment, so that its command line reaches the same stores. */
  readonly authServerEnvironment: Environment;
  /** The search service's environment, for its command line. Absent where an auth-server runs alone. */
  readonly searchEnvironment?: Environment;
}

const FILE = 'platform.json';

/** What the auth-server's command line needs of a running server. */
const AUTH_VARIABLES = [
  'NODE_ENV',
  'DATABASE_URL',
  'REDIS_URL',
  'KEY_ENCRYPTION_SECRET',
  'COOKIE_SECRET',
  'ISSUER',
  'AUDIENCES',
].flatMap((name) => [name, `AUTH_${name}`]);

/** What of an auth-server's environment its command line needs. */
export function sharedAuthServerEnvironment(environment: Environment): Environment {
  return pickVariables(environment, AUTH_VARIABLES);
}

/** The variables of these names that are set. */
export function pickVariables(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(
    names.filter((name) => environment[name]).map((name) => [name, environment[name]]),
  );
}

/** The file holds connection strings: its owner alone may read it. */
export function writePlatformFile(
  dataDirectory: string,
  file: Omit<PlatformFile, 'pid' | 'startTime'>,
): void {
  const content = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '', ...file };
  writePrivateFile(join(dataDirectory, FILE), content);
}

/** @returns the file of the platform that runs on this data directory; undefined when none runs */
export function readPlatformFile(dataDirectory: string): PlatformFile | undefined {
  try {
    const file = JSON.parse(readFileSync(join(dataDirectory, FILE), 'utf8')) as PlatformFile; // written by writePlatformFile
    return startTimeOf(file.pid) === file.startTime ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Called when the platform ends. */
export function removePlatformFile(dataDirectory: string): void {
  rmSync(join(dataDirectory, FILE), { force: true });
}
