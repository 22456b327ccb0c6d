import { isProtected } from './protected-address.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryStore } from './registry-store.ts';
import { FolderStore } from './stores/folder-store.ts';
import { withoutPassword } from './stores/git-program.ts';
import { GitStore } from './stores/git-store.ts';
import { HttpStore } from './stores/http-store.ts';
import { ObjectStore } from './stores/object-store.ts';
import type { Authorize } from './stores/registry-authorization.ts';

/** What stores that are not folders need. */
export interface RegistryCredentials {
  /** Variables of git, and with credentials of object stores. @default those of this process */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** What each request to a server says of who sends it. @default nothing */
  readonly authorize?: Authorize | undefined;
}

/**
 * The store that a text names: the path of a folder, the URL of a server (`https://…`), or a git repository (`git+https://…`, `git+ssh://…`, `git+file://…`), whose
 * branch stands behind `#`, or a bucket of an object store (`s3+https://HOST/BUCKET/PREFIX`).
 *
 * @throws RegistryError INVALID_NAME
 */
export function openRegistry(
  location: string,
  { environment, authorize }: RegistryCredentials = {},
): RegistryStore {
  const [, git, url = '', branch] = /^(git\+)?([a-z][a-z0-9+.-]*:\/\/[^#]+)(?:#(.+))?$/i.exec(location) ?? [];
  const [, bucket] = /^s3\+(https?:\/\/.+)$/i.exec(location) ?? [];
  if (bucket !== undefined && isProtected(bucket)) return new ObjectStore(bucket, { environment });
  if (url === '') return new FolderStore(location);
  if (git !== undefined && /^(https|ssh|file):/i.test(url)) return new GitStore(url, { branch, environment });
  if (git === undefined && isProtected(url)) return new HttpStore(location, { authorize });
  throw new RegistryError(
    'INVALID_NAME',
    `${JSON.stringify(withoutPassword(location))} names no registry: a folder, https:// of a server, git+https://, git+ssh:// or git+file://, or s3+https:// of a bucket; http:// on this host alone.`,
  );
}
