import type { Environment } from '@trellis/runtime';
import { lockDirectory } from '@trellis/dev-stores';
import type { PlatformConfig } from './environment-table.ts';
import { readPlatformConfig } from './platform-config.ts';
import { loadSecrets } from './secrets.ts';
import { withoutEmpty } from './service-environments.ts';
import type { Progress } from '../terminal/index.ts';
import { openStores } from './stores.ts';

/** The databases of the content graph, within reach. */
export interface ContentDatabases {
  /** Connection strings, by service. */
  readonly urls: Readonly<Record<'users' | 'posts' | 'comments' | 'search', string>>;
  /** Ends what was started for it. */
  close(): Promise<void>;
}

/**
 * Finds the databases of users, posts, comments and search: those that the environment names, else those of the data directory, whose
 * stores are started for it.
 *
 * @throws ConfigError when a variable of the platform is wrong
 * @throws DirectoryInUse when a platform runs on the data directory
 */
export async function openContentDatabases(
  environment: Environment,
  progress: Progress,
): Promise<ContentDatabases> {
  const config = readPlatformConfig(environment);
  const given = withoutEmpty(environment);
  const urls = urlsOf((prefix) => given[`${prefix}_DATABASE_URL`] ?? given['DATABASE_URL']);
  return urls ? { urls, close: () => Promise.resolve() } : openEmbedded(config, given, progress);
}

async function openEmbedded(
  config: PlatformConfig,
  given: Environment,
  progress: Progress,
): Promise<ContentDatabases> {
  const lock = lockDirectory(config.DATA_DIR);
  try {
    const secrets = await loadSecrets(config.DATA_DIR);
    const stores = await openStores({ config, environment: given, secrets, progress });
    const urls = urlsOf((prefix) => given[`${prefix}_DATABASE_URL`] ?? stores.databaseUrls[prefix]);
    if (!urls) throw new Error('The embedded PostgreSQL has not made the databases of the content graph.');
    return { urls, close: () => stores.close().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

type ContentPrefix = 'USERS' | 'POSTS' | 'COMMENTS' | 'SEARCH';

/** Undefined unless there is one for every service. */
function urlsOf(find: (prefix: ContentPrefix) => string | undefined): ContentDatabases['urls'] | undefined {
  const [users, posts, comments, search] = [find('USERS'), find('POSTS'), find('COMMENTS'), find('SEARCH')];
  return users && posts && comments && search ? { users, posts, comments, search } : undefined;
}
