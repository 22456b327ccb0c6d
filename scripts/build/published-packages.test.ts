import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryDirectory } from '@trellis/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
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

const groups = ['', 'packages', 'services', 'examples'];
/** By their paths. */
const manifestFiles = new Map(
  groups
    .flatMap((group) =>
      readdirSync(join(repository, group)).map((folder) => join(group, folder, 'package.json')),
    )
    .filter((file) => existsSync(join(repository, file)))
    .map((file) => [file, JSON.parse(readFileSync(join(repository, file), 'utf8')) as Manifest]),
);
const manifests = new Map([...manifestFiles.values()].map((manifest) => [manifest.name, manifest]));
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

const execute = promisify(execFile);

describe('Versions', () => {
  it('come by changesets: in a clone, one file raises all that is published, and nothing else', async () => {
    const clone = await cloneRepository();
    writeFileSync(join(clone, '.changeset/sample.md'), "---\n'trellis': minor\n---\n\nA sample.\n");
    const changeset = (...args: readonly string[]): Promise<unknown> =>
      execute(process.execPath, [join(repository, 'node_modules/@changesets/cli/bin.js'), ...args], {
        cwd: clone,
      });

    await changeset('status', '--output', 'status.json');
    const { releases } = readJson(join(clone, 'status.json')) as { readonly releases: readonly Release[] }; // of changesets
    const raised = releases.filter(({ type }) => type !== 'none');
    expect(raised.map(({ name }) => name).toSorted()).toEqual([...published].toSorted());
    expect(new Set(raised.map(({ newVersion }) => newVersion))).toEqual(new Set(['0.2.0']));

    await changeset('version');
    const versions = [...manifestFiles.keys()].map((file) => readJson(join(clone, file)) as Manifest);
    const newest = versions.filter(({ version }) => version === '0.2.0');
    expect(newest.map(({ name }) => name).toSorted()).toEqual([...published].toSorted());
  }, 180_000);
});

interface Release {
  readonly name: string;
  readonly type: string;
  readonly newVersion: string;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** With the manifests as they are here, whether they were committed or not. */
async function cloneRepository(): Promise<string> {
  const { path, remove } = createTemporaryDirectory();
  onTestFinished(remove);
  const clone = join(path, 'clone');
  const git = (...args: readonly string[]): Promise<unknown> =>
    execute('git', ['-c', 'user.name=test', '-c', 'user.email=test@trellis.test', ...args], { cwd: clone });
  await execute('git', ['clone', '--quiet', '--shared', '--no-tags', repository, clone]);
  for (const file of [...manifestFiles.keys(), '.changeset/config.json', 'pnpm-workspace.yaml'])
    copyFileSync(join(repository, file), join(clone, file));
  await git('checkout', '--quiet', '-B', 'main');
  await git('commit', '--quiet', '--all', '--allow-empty', '--message', 'as here');
  return clone;
}
