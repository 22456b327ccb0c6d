import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRegistry } from '../open-registry.ts';
import type { RegistryStore } from '../registry-store.ts';
import { createKey, log, publishAll } from '../testing/sample-log.ts';
import { describeStore } from '../testing/store-contract.ts';
import { GitFailed, runGit } from './git-program.ts';

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
let folder: string;
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'registry-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function createRepository(): string {
  const path = join(folder, `${(count += 1)}.git`);
  execFileSync('git', ['init', '--quiet', '--bare', path]);
  return path;
}

async function openGit(path = createRepository()): Promise<RegistryStore> {
  const store = openRegistry(`git+${pathToFileURL(path).href}`);
  await store.initialize?.(signal);
  return store;
}

describeStore('a git repository', () => openGit());

describe('a git repository', () => {
  it('is made once, and is none before', async () => {
    const store = openRegistry(`git+${pathToFileURL(createRepository()).href}#releases`);
    await expect(store.readHead(log, signal)).rejects.toMatchObject({ code: 'NO_REGISTRY' });
    expect([await store.initialize?.(signal), await store.initialize?.(signal)]).toEqual([true, false]);
    expect(await store.readHead(log, signal)).toBe(0);
  });

  it('has a commit for each record, with the texts that it names', async () => {
    const path = createRepository();
    await publishAll(await openGit(path), ['users', 'posts'], { ...(await createKey()), signal });
    const commits = execFileSync('git', ['-C', path, 'log', '--format=%s', 'trellis-registry'], {
      encoding: 'utf8',
    });
    expect(commits.trim().split('\n')).toEqual([
      'graphs/content/environments/production/log/00000002.jws',
      'graphs/content/environments/production/log/00000001.jws',
      'A registry',
    ]);
  });

  it('takes records of two logs from two publishers at once', async () => {
    const path = createRepository();
    const stores = [await openGit(path), await openGit(path)];
    const logs = [log, { ...log, environment: 'staging' }];
    const created = stores.map((store, index) =>
      store.createRecord(logs[index] ?? log, 1, `jws ${index}`, signal),
    );
    expect(await Promise.all(created)).toEqual([true, true]);
    expect(await stores[0]?.listLogs(signal)).toEqual(logs);
  });

  it('names the lock that a killed git has left', async () => {
    const path = createRepository();
    const store = await openGit(path);
    writeFileSync(join(path, 'refs/heads/trellis-registry.lock'), '');
    await expect(store.createRecord(log, 1, 'one', signal)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining('refs/heads/trellis-registry.lock') as string,
    });
    rmSync(join(path, 'refs/heads/trellis-registry.lock'));
    expect(await store.createRecord(log, 1, 'one', signal)).toBe(true);
  });

  it('says that the right is missing where a hook declines the push', async () => {
    const path = createRepository();
    const store = await openGit(path);
    writeFileSync(join(path, 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n');
    chmodSync(join(path, 'hooks/pre-receive'), 0o755);
    await expect(store.createRecord(log, 1, 'one', signal)).rejects.toMatchObject({ code: 'NO_RIGHT' });
  });

  it('is understood where git speaks another language', async () => {
    const environment = { ...process.env, LC_ALL: 'C.UTF-8', LANGUAGE: 'de' };
    const store = openRegistry(`git+${pathToFileURL(createRepository()).href}`, { environment });
    await expect(store.readHead(log, signal)).rejects.toMatchObject({ code: 'NO_REGISTRY' });
    expect(await store.initialize?.(signal)).toBe(true);
    expect(await store.readRecord(log, 1, signal)).toBeUndefined();
  });

  it('is read from a folder that has files of the same names', async () => {
    const before = process.cwd();
    const checkedOut = join(folder, 'checked-out');
    const file = join(checkedOut, 'graphs/content/environments/production/log/00000001.jws');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'a record of the folder');
    process.chdir(checkedOut);
    try {
      const store = await openGit();
      expect(await store.readRecord(log, 1, signal)).toBeUndefined();
      expect(await store.createRecord(log, 1, 'one', signal)).toBe(true);
    } finally {
      process.chdir(before);
    }
  });

  it('says so where a file is too large', async () => {
    await expect(runGit(['--version'], { signal, maxBytes: 3 })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('is unavailable where there is no repository, and its password is in no message', async () => {
    const nowhere = openRegistry(`git+file://${folder}/none.git`);
    await expect(nowhere.readHead(log, signal)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(openRegistry('git+https://user:secret@host/x.git').description).not.toContain('secret');
    expect(new GitFailed('fetch', "unable to access 'https://user:p@ss@host/x'").message).toBe(
      "git fetch: unable to access 'https://host/x'",
    );
    expect(() => openRegistry('ftp://user:p@ss@x/y')).toThrow('"ftp://x/y" names no registry');
    for (const location of ['git+ext://sh', 'git+http://x/y', 'ftp://x/y'])
      expect(() => openRegistry(location)).toThrow(/names no registry/);
  });
});
