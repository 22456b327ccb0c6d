import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * All files below a folder. Links are not followed: in `node_modules` they lead from each package of the workspace to the others,
 * on and on.
 *
 * @param directory the repository
 * @param folder relative to it
 * @returns paths relative to the repository, with `/` on every system
 */
export function filesBelow(directory: string, folder: string): readonly string[] {
  return readdirSync(join(directory, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}
