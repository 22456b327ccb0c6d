import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

interface ProjectList {
  readonly references: readonly { readonly path: string }[];
}

/**
 * Deletes what was compiled of sources that exist no more, in the projects of a tsconfig.json: a program would find it where its
 * source would not.
 *
 * @returns paths below the repository
 */
export async function removeStaleOutputs(repository: string): Promise<readonly string[]> {
  const text = await readFile(join(repository, 'tsconfig.json'), 'utf8');
  const { references } = JSON.parse(text) as ProjectList; // ours
  const stale = (await Promise.all(references.map(({ path }) => staleOf(repository, path)))).flat();
  await Promise.all(stale.map((path) => rm(join(repository, path))));
  return stale;
}

async function staleOf(repository: string, project: string): Promise<readonly string[]> {
  const dist = join(project, 'dist');
  if (!existsSync(join(repository, dist, '.tsbuildinfo'))) return [];
  const names = await readdir(join(repository, dist), { recursive: true });
  const compiled = new Set(names);
  return names
    .filter((name) => isStale(join(repository, project, 'src'), compiled, name))
    .map((name) => join(dist, name));
}

/** The compiler writes types beside each file; what a bundler has put into the folder has none. */
function isStale(sources: string, compiled: ReadonlySet<string>, name: string): boolean {
  const [, base] = /^(.*?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(name) ?? [];
  if (base === undefined || !compiled.has(`${base}.d.ts`)) return false;
  return ['.ts', '.tsx'].every((ending) => !existsSync(join(sources, base + ending)));
}
