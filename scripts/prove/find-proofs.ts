import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file of a proof. Its name, without the ending, is the name of the proof. */
export interface ProofFile {
  readonly name: string;
  readonly path: string;
}

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Every `proofs/*.ts` of the workspace, sorted by name; tests and what lies in folders below are not proofs. */
export function findProofs(root: string = repository): readonly ProofFile[] {
  return workspaceFolders(root)
    .map((folder) => join(folder, 'proofs'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map((path) => ({ name: basename(path, '.ts'), path }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function workspaceFolders(root: string): readonly string[] {
  const alone = ['gateway', 'auth-server', 'bench', 'cli', 'e2e'].map((folder) => join(root, folder));
  const grouped = ['services', 'packages']
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return [...alone, ...grouped];
}
