import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeStaleOutputs } from './stale-outputs.ts';

it('what was compiled of sources that exist no more goes, and nothing else', async () => {
  const repository = mkdtempSync(join(tmpdir(), 'stale-outputs-'));
  onTestFinished(() => rmSync(repository, { recursive: true }));
  const write = (path: string, content = ''): void => {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), content);
  };
  const references = [{ path: 'packages/a' }, { path: 'b' }, { path: 'c' }];
  write('tsconfig.json', JSON.stringify({ references }));
  const stays = [
    'packages/a/dist/.tsbuildinfo',
    'packages/a/dist/current/x.js',
    'packages/a/dist/current/x.d.ts',
    'packages/a/dist/current/x.d.ts.map',
    'packages/a/dist/page.js',
    'packages/a/dist/page.d.ts',
    'packages/a/dist/client/bundle-1.js',
    'packages/a/dist/style.css',
    'b/dist/bundle.js', // of another build
  ];
  const goes = ['x.js', 'x.js.map', 'x.d.ts', 'x.d.ts.map'].map((name) => `packages/a/dist/gone/${name}`);
  for (const path of [...stays, ...goes, 'packages/a/src/current/x.ts', 'packages/a/src/page.tsx'])
    write(path);
  expect((await removeStaleOutputs(repository)).toSorted()).toEqual(goes.toSorted());
  expect(stays.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  expect(goes.filter((path) => existsSync(join(repository, path)))).toEqual([]);
});
