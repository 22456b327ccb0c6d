import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readPlatformFile, removePlatformFile, writePlatformFile } from './platform-file.ts';
import { loadSecrets, rolePassword } from './secrets.ts';

let directory: string;

beforeEach(() => {
  const temporary = createTemporaryDirectory();
  onTestFinished(() => temporary.remove());
  directory = join(temporary.path, 'data');
});

describe('secrets.json', () => {
  it('is made once, and for its owner alone', async () => {
    const first = await loadSecrets(directory);
    expect(statSync(join(directory, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    await expect(loadSecrets(directory)).resolves.toEqual(first);
  });

  it('differs from directory to directory', async () => {
    const [one, other] = [await loadSecrets(directory), await loadSecrets(`${directory}-2`)];
    expect(one.cookieSecret).not.toBe(other.cookieSecret);
    expect(rolePassword(one, 'users')).not.toBe(rolePassword(other, 'users'));
    expect(rolePassword(one, 'users')).not.toBe(rolePassword(one, 'posts'));
  });

  it('is not replaced when it can not be read: what it encrypts would be lost', async () => {
    await loadSecrets(directory);
    writeFileSync(join(directory, 'secrets.json'), '{"keyEncryptionSecret":');
    await expect(loadSecrets(directory)).rejects.toThrow('secrets.json is not readable');
    expect(readFileSync(join(directory, 'secrets.json'), 'utf8')).toBe('{"keyEncryptionSecret":');
  });
});

describe('platform.json', () => {
  const written = {
    gatewayUrl: 'http://localhost:4000/graphql',
    issuer: 'http://localhost:4001',
    services: { gateway: 'http://localhost:4000' },
    authServerEnvironment: { DATABASE_URL: 'postgres://a:secret@b' },
    searchEnvironment: {},
  };

  it('names the running platform, and is for its owner alone', async () => {
    await loadSecrets(directory);
    writePlatformFile(directory, written);
    expect(readPlatformFile(directory)).toMatchObject(written);
    expect(statSync(join(directory, 'platform.json')).mode & 0o777).toBe(0o600);
    removePlatformFile(directory);
    expect(readPlatformFile(directory)).toBeUndefined();
  });

  it('is nothing when its platform was killed, though the process id lives on', async () => {
    await loadSecrets(directory);
    writePlatformFile(directory, written);
    const file = join(directory, 'platform.json');
    const content = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...content, startTime: 'earlier' }));
    expect(readPlatformFile(directory)).toBeUndefined();
    writeFileSync(file, '{');
    expect(readPlatformFile(directory)).toBeUndefined();
  });
});
