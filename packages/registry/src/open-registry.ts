import { RegistryError } from './registry-error.ts';
import type { RegistryStore } from './registry-store.ts';
import { FolderStore } from './stores/folder-store.ts';
import { GitStore } from './stores/git-store.ts';

/** What stores that are not folders need. */
export interface RegistryCredentials {
  /** Variables of git. @default those of this process */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * The store that a text names: the path of a folder, or a git repository (`git+https://…`, `git+ssh://…`, `git+file://…`), whose
 * branch stands behind `#`.
 *
 * @throws RegistryError INVALID_NAME
 */
export function openRegistry(location: string, { environment }: RegistryCredentials = {}): RegistryStore {
  const [, git, url = '', branch] = /^(git\+)?([a-z][a-z0-9+.-]*:\/\/[^#]+)(?:#(.+))?$/i.exec(location) ?? [];
  if (url === '') return new FolderStore(location);
  if (git !== undefined && /^(https|ssh|file):/i.test(url)) return new GitStore(url, { branch, environment });
  throw new RegistryError(
    'INVALID_NAME',
    `${JSON.stringify(location)} names no registry: a folder, or git+https://, git+ssh:// or git+file://.`,
  );
}
