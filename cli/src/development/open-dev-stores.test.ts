import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockDirectory } from '@trellis/dev-stores';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StartupError } from '@trellis/runtime';
import { openDevStores } from './open-dev-stores.ts';

let directory: TemporaryDirectory;
beforeAll(() => void (directory = createTemporaryDirectory()));
afterAll(() => directory.remove());

it('trellis dev --stores says in one sentence that PostgreSQL does not run here, and what to do', async () => {
  const server = join(directory.path, 'postgres');
  writeFileSync(server, '#!/lib64/ld-linux-of-no-machine.so.2\n');
  chmodSync(server, 0o755);
  const opened = openDevStores(join(directory.path, 'dev'), () => undefined, directory.path);
  await expect(opened).rejects.toThrow(StartupError); // of which the process prints the message alone
  await expect(opened).rejects.toThrow(
    `The PostgreSQL in ${directory.path} does not run on this machine (the loader of its libraries is missing, as on Linux with musl): ` +
      'set DATABASE_URL to a PostgreSQL 15 or later, and leave out --stores.',
  );
});

it('trellis dev --stores says in one sentence whose its folder is, and what to do', async () => {
  const folder = join(directory.path, 'held');
  const lock = lockDirectory(join(folder, 'postgres'));
  const opened = openDevStores(folder, () => undefined);
  await expect(opened).rejects.toThrow(
    new StartupError(
      `${folder}/postgres is in use by process ${process.pid}: end it, or set DATA_DIR to another folder.`,
    ),
  );
  await expect(opened).rejects.toThrow(StartupError);
  lock.release();
});
