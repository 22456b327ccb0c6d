import { existsSync, readFileSync, readdirSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

/** Licences that ask for no more than that their notices stay, which they do, in each package's folder. */
const permissive = new Set([
  '(MIT AND BSD-3-Clause)',
  '(MIT OR Apache-2.0)',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
]);

interface Manifest {
  readonly name?: string;
  readonly license?: string;
}

/** Every package that is installed, once for each version. */
function installedPackages(): readonly Manifest[] {
  const store = join(repository, 'node_modules/.pnpm');
  return readdirSync(store)
    .map((folder) => join(store, folder, 'node_modules'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => packageFolders(folder))
    .filter((folder) => !lstatSync(folder).isSymbolicLink() && existsSync(join(folder, 'package.json')))
    .map((folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest);
}

function packageFolders(modules: string): readonly string[] {
  return readdirSync(modules).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(modules, name)).map((inner) => join(modules, name, inner))
      : [join(modules, name)],
  );
}

describe('NOTICE', () => {
  const notice = readFileSync(join(repository, 'NOTICE'), 'utf8');
  const packages = installedPackages();

  it('names every installed package whose licence asks for more than a notice', () => {
    expect(packages.length).toBeGreaterThan(100);
    const others = packages.filter(({ license }) => !permissive.has(license ?? 'none'));
    // Native parts of a package are named after it and its platform.
    const unnamed = others.filter(
      ({ name = '' }) => !notice.includes(name.replace(/-(linux|darwin|win32)-.*/, '')),
    );
    expect(unnamed.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  it('names none that is not installed', () => {
    const named = [...notice.matchAll(/^ {2}(@?[a-z][\w/-]*)$/gm)].map(([, name]) => name);
    expect(named).toContain('@apollo/query-planner');
    expect(named.filter((name) => !packages.some((installed) => installed.name === name))).toEqual([]);
  });
});
