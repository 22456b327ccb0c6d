import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { commandEnvironment, commandSecrets } from './command-environment.ts';
import { runTrellis } from './trellis.ts';

const directory = createTemporaryDirectory();
afterAll(() => directory.remove());
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** A command that reads each. */
const readers: Readonly<Record<(typeof commandSecrets)[number], readonly string[]>> = {
  DATABASE_URL: ['registry', 'serve'],
  TRELLIS_SCHEMA_SECRET: ['rollback', '--introspect', '--graph', 'a@b'],
  TRELLIS_PREVIEW_KEY: ['variant', 'token', 'next', '--graph', 'a@b'],
  TRELLIS_REGISTRY_CLIENT_SECRET: ['history', '--registry', 'https://registry.invalid', '--graph', 'a@b'],
  TRELLIS_REGISTRY_TOKEN: ['compose', '--registry', 'https://registry.invalid', '--graph', 'a@b'],
  TRELLIS_SIGNING_KEY: ['registry', 'init', '--registry', 'nowhere'],
  USAGE_DATABASE_URL: ['operations', 'list'],
};

describe('Secrets of commands in files', () => {
  it.each(commandSecrets)('%s_FILE is read in the place of the variable', (name) => {
    const file = join(directory.path, name);
    writeFileSync(file, ' a secret\n');
    const given = { [`${name}_FILE`]: file };
    expect(commandEnvironment(given)[name]).toBe('a secret');
    expect(given).not.toHaveProperty(name);
    expect(() => commandEnvironment({ ...given, [name]: 'another' })).toThrow(/both set/);
  });

  it.each(Object.entries(readers))('%s_FILE counts for its command', async (name, args) => {
    vi.stubEnv(`${name}_FILE`, '/no/such/file');
    const errors = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const status = await runTrellis(args);
    expect(errors.mock.calls.join('')).toContain(`${name}_FILE: /no/such/file does not exist.`);
    expect([1, 64]).toContain(status || process.exitCode); // compose has a status of its own for what is expected
  });

  it('are in no environment that a command gives on', () => {
    const file = join(directory.path, 'given-on');
    writeFileSync(file, 'a secret');
    vi.stubEnv('TRELLIS_SIGNING_KEY_FILE', file);
    vi.stubEnv('TRELLIS_SIGNING_KEY', undefined);
    expect(commandEnvironment()['TRELLIS_SIGNING_KEY']).toBe('a secret');
    expect(process.env['TRELLIS_SIGNING_KEY']).toBeUndefined();
  });
});
