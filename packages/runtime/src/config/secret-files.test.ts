import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { expect, it } from 'vitest';
import { readSecretFile } from './secret-files.ts';

it('A file with a secret may be a pipe: modules that are loaded after it are found where their links lead', () => {
  const directory = createTemporaryDirectory();
  const at = (name: string): string => join(directory.path, name);
  mkdirSync(at('package'));
  for (const name of ['before.js', 'after.js']) writeFileSync(join(at('package'), name), '');
  symlinkSync(at('package'), at('link'));
  const { resolve } = createRequire(import.meta.url);
  expect(resolve(at('link/before.js'))).toBe(at('package/before.js'));
  execFileSync('mkfifo', [at('pipe')]);
  const writer = spawn('sh', ['-c', `echo secret > "${at('pipe')}"`]);
  expect(readSecretFile(at('pipe'))).toEqual({ text: 'secret' });
  expect(resolve(at('link/after.js'))).toBe(at('package/after.js'));
  writer.kill();
  directory.remove();
});
