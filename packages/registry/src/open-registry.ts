import { RegistryError } from './registry-error.ts';
import type { RegistryStore } from './registry-store.ts';
import { FolderStore } from './stores/folder-store.ts';
import { withoutPassword } from './stores/git-program.ts';
import { GitStore } from './stores/git-store.ts';
import { HttpStore } from './stores/http-store.ts';

/** What stores that are not folders need. */
export interface RegistryCredentials {
  /** Variables of git. @default those of this process */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The access token for a server, asked for before each request. @default none */
  readonly token?: (() => Promise<string>) | undefined;
}

/**
 * The store that a text names: the path of a folder, the URL of a server (`https://…`), or a git repository (`git+https://…`, `git+ssh://…`, `git+file://…`), whose
 * branch stands behind `#`.
 *
 * @throws RegistryError INVALID_NAME
 */
export function openRegistry(
  location: string,
  { environment, token }: RegistryCredentials = {},
): RegistryStore {
  const [, git, url = '', branch] = /^(git\+)?([a-z][a-z0-9+.-]*:\/\/[^#]+)(?:#(.+))?$/i.exec(location) ?? [];
  if (url === '') return new FolderStore(location);
  if (git !== undefined && /^(https|ssh|file):/i.test(url)) return new GitStore(url, { branch, environment });
  if (git === undefined && isServer(url)) return new HttpStore(location, { token });
  throw new RegistryError(
    'INVALID_NAME',
    `${JSON.stringify(withoutPassword(location))} names no registry: a folder, https:// of a server, or git+https://, git+ssh:// or git+file://.`,
  );
}

/** Tokens go by https, or to this host. */
function isServer(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
  );
}
