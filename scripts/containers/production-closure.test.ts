import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const folders = [
  'gateway',
  'auth-server',
  ...['packages', 'services'].flatMap((parent) =>
    readdirSync(join(repository, parent)).map((name) => join(parent, name)),
  ),
].filter((folder) => existsSync(join(repository, folder, 'package.json'))); // else it was built before it was moved
const manifests = new Map(
  folders.map((folder) => {
    const manifest = JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as Manifest;
    return [manifest.name, manifest];
  }),
);

/** The packages of this repository that `pnpm deploy --prod` puts into the image of one of them. */
function closureOf(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const dependency of Object.keys(manifests.get(name)?.dependencies ?? {}))
    if (manifests.has(dependency)) closureOf(dependency, found);
  return found;
}

describe.each(['gateway', 'auth-server', 'users', 'posts', 'comments', 'search'])(
  'H4: the image of %s',
  (name) => {
    it('carries neither demo accounts nor what is for tests', () => {
      const closure = closureOf(`@trellis/${name}`);
      expect(closure.size).toBeGreaterThan(3);
      for (const forbidden of ['@trellis/demo-data', '@trellis/testkit', '@trellis/bench', 'trellis'])
        expect([...closure]).not.toContain(forbidden);
    });
  },
);
