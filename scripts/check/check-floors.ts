import { findBrokenFloors } from './folder-rule.ts';
import { projects } from './floors.ts';
import { readRepositoryImports } from './repository-imports.ts';

/**
 * Holds the imports of the repository against the floors of its rooms.
 *
 * @param directory the repository
 * @returns what is wrong, one sentence each
 */
export function checkFloors(directory: string): readonly string[] {
  const folders = projects.map(({ folder }) => folder);
  return findBrokenFloors(projects, readRepositoryImports(directory, folders));
}
