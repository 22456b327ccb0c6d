import { RegistryError } from './registry-error.ts';
import type { RegistryStore } from './registry-store.ts';
import { FolderStore } from './stores/folder-store.ts';

/**
 * The store that a text names: the path of a folder.
 *
 * @throws RegistryError INVALID_NAME
 */
export function openRegistry(location: string): RegistryStore {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(location))
    throw new RegistryError(
      'INVALID_NAME',
      `${JSON.stringify(location)} names no kind of registry that is known.`,
    );
  return new FolderStore(location);
}
