import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@trellis/runtime';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProgress, createTerminal } from '../terminal/index.ts';
import { openAuthServerStores } from './auth-server-stores.ts';

const silent = createProgress(createTerminal({ write: () => expect.unreachable() }, {}));

let directory: TemporaryDirectory;
beforeAll(() => {
  directory = createTemporaryDirectory();
});
afterAll(() => directory.remove());

it.each<Environment>([
  { NODE_ENV: 'production' },
  { HOST: '0.0.0.0' },
  { AUTH_HOST: '::', NODE_ENV: 'development' },
  { ISSUER: 'https://auth.example.com' },
  { AUTH_ISSUER: 'https://auth.example.com', NODE_ENV: 'test' },
])('H3: the auth-server alone gets neither stores nor secrets where others reach it: %j', async (given) => {
  const DATA_DIR = join(directory.path, 'data');
  const { environment } = await openAuthServerStores({ ...given, DATA_DIR }, silent);
  expect(environment).toEqual({ ...given, DATA_DIR });
  expect(existsSync(DATA_DIR)).toBe(false);
});
