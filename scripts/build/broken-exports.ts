import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
}

/**
 * Packages export their TypeScript under a condition that only development sets; everybody else gets `dist`. This names
 * every export whose compiled file is missing, a sentence each.
 */
export function findBrokenExports(root: string): readonly string[] {
  return packageFolders(root).flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest; // our own file
    return compiledFiles(manifest)
      .filter((file) => !existsSync(join(folder, file)))
      .map((file) => `${manifest.name} exports ${relative(root, join(folder, file))}, which was not built.`);
  });
}

function compiledFiles({ exports = {} }: Manifest): readonly string[] {
  return Object.values(exports)
    .flatMap((target) => (typeof target === 'string' ? [target] : [target['types'], target['default']]))
    .filter((file) => file !== undefined);
}

function packageFolders(root: string): readonly string[] {
  const grouped = ['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  return [...grouped, join(root, 'gateway'), join(root, 'auth-server'), join(root, 'cli')].filter((folder) =>
    existsSync(join(folder, 'package.json')),
  );
}
