import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly license?: string;
  readonly description?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Its exports hold where a package is published. */
  readonly publishConfig?: Pick<Manifest, 'exports'> & { readonly access?: string };
}

/** What users install by name, in docs/packages.md; all of this repository that these need comes with them. */
const NAMED = [
  'trellis',
  '@trellis/gateway',
  '@trellis/auth-server',
  '@trellis/subgraph-kit',
  '@trellis/subgraph-protocol',
];

const groups = ['.', 'packages', 'services', 'examples'];
const manifests = new Map(
  groups
    .map((group) => join(repository, group))
    .flatMap((group) => readdirSync(group).map((folder) => join(group, folder, 'package.json')))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Manifest)
    .map((manifest) => [manifest.name, manifest]),
);
const published = closureOf(NAMED);

function closureOf(names: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const manifest = manifests.get(name);
    if (!manifest || found.has(name)) continue;
    found.add(name);
    closureOf(Object.keys(manifest.dependencies ?? {}), found);
  }
  return found;
}

describe('Packages', () => {
  it('are those that users name and what these need; no other is published', () => {
    const isPublic = [...manifests.values()].filter((manifest) => manifest.private !== true);
    expect(isPublic.map(({ name }) => name).toSorted()).toEqual([...published].toSorted());
  });

  it.each([...published])('%s says what npm and its users need to know', (name) => {
    const manifest = manifests.get(name);
    expect(manifest).toMatchObject({
      version: manifests.get('trellis')?.version,
      type: 'module',
      license: 'Apache-2.0',
      description: expect.stringMatching(/^[A-Z].*\.$/) as string,
      engines: { node: '>=20.19.0' },
      publishConfig: { access: 'public' },
    });
    for (const [path, conditions] of Object.entries(
      manifest?.publishConfig?.exports ?? manifest?.exports ?? {},
    ))
      if (typeof conditions === 'object')
        expect(conditions, `${name} ${path}`).toMatchObject({
          types: expect.stringMatching(/^\.\/dist\/.+\.d\.ts$/) as string,
          default: expect.stringMatching(/^\.\/dist\/.+\.js$/) as string,
        });
  });
});
