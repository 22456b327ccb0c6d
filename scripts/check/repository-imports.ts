import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readImports } from './read-imports.ts';

/** One file asks for another. Both relative to the repository, with `/`. */
export interface FileImport {
  readonly from: string;
  /** A folder ends with `/`. */
  readonly to: string;
  /** Whether it names another package of the workspace by its path, and not as that package exports it. */
  readonly passesExports?: true;
}

/** All that files of a repository import of one another. */
export interface RepositoryImports {
  /** Source files, relative to the repository. */
  readonly files: readonly string[];
  readonly imports: readonly FileImport[];
  /** Places of imports that can't be read, as `file:line`. */
  readonly computed: readonly string[];
}

const SOURCE = /\.[cm]?[jt]sx?$/;
const NOT_OURS = new Set(['node_modules', 'dist', 'coverage']);

/**
 * Reads every source file of some folders, and finds the files of the repository that each imports: relative ones, and
 * those that a package of the workspace exports. Other packages are left out.
 *
 * @param directory the repository
 * @param folders relative to it; `.` for all
 */
export function readRepositoryImports(directory: string, folders: readonly string[]): RepositoryImports {
  const files = [...new Set(folders.flatMap((folder) => walk(directory, folder)))].toSorted();
  const packages = workspacePackages(directory);
  const packageFolders = [...packages.values()].map(({ folder }) => folder);
  const packageOf = (path: string): string | undefined =>
    packageFolders.find((folder) => path.startsWith(`${folder}/`));
  const imports: FileImport[] = [];
  const computed: string[] = [];
  for (const file of files) {
    const read = readImports(file, readFileSync(join(directory, file), 'utf8'));
    computed.push(...read.computed.map((line) => `${file}:${line}`));
    for (const specifier of read.specifiers) {
      const to = resolve(file, specifier, packages);
      if (to === undefined) continue;
      const isForeign =
        specifier.startsWith('.') && SOURCE.test(to) && areApart(packageOf(file), packageOf(to));
      imports.push({ from: file, to, ...(isForeign && { passesExports: true }) });
    }
  }
  return { files, imports, computed };
}

/** Folders that are no package belong to the repository, and may name its packages by their paths. */
function areApart(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function walk(directory: string, folder: string): readonly string[] {
  return readdirSync(join(directory, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory())
      return NOT_OURS.has(entry.name) || entry.name.startsWith('.') ? [] : walk(directory, path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}

/** A package of the workspace. */
interface WorkspacePackage {
  readonly folder: string;
  /** Source files by what is imported: `.`, `./sign-in`. */
  readonly exports: ReadonlyMap<string, string>;
}

const PACKAGE_FOLDERS = ['.', 'packages', 'services'];

function workspacePackages(directory: string): ReadonlyMap<string, WorkspacePackage> {
  const packages = new Map<string, WorkspacePackage>();
  for (const parent of PACKAGE_FOLDERS) {
    if (!existsSync(join(directory, parent))) continue;
    for (const name of readdirSync(join(directory, parent))) {
      const folder = posix.join(parent, name);
      const manifest = join(directory, folder, 'package.json');
      if (name === 'node_modules' || !existsSync(manifest)) continue;
      const read = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest; // of this repository
      packages.set(read.name, {
        folder,
        exports: new Map(Object.entries(read.exports ?? {}).flatMap(sourceOf)),
      });
    }
  }
  return packages;
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

function sourceOf([path, target]: [string, string | Readonly<Record<string, string>>]): [string, string][] {
  const source = typeof target === 'string' ? target : target['trellis-source'];
  return source === undefined ? [] : [[path, source]];
}

function resolve(
  from: string,
  specifier: string,
  packages: ReadonlyMap<string, WorkspacePackage>,
): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const imported = packages.get(name);
  if (imported === undefined) return undefined;
  const source = imported.exports.get(`.${specifier.slice(name.length)}`);
  return posix.join(imported.folder, source ?? './');
}
