import { createPool, migrate, type Pool } from '@trellis/postgres';
import { columns, createContentRows, type ContentRows, type ContentSize } from './content-rows.ts';
import { loadTable } from './load-table.ts';

/** The services whose databases are filled. */
export type LoadedService = 'users' | 'posts' | 'comments';

/** Where each service keeps its data. */
export type DatabaseUrls = Readonly<Record<LoadedService, string>>;

/** What {@link loadContent} does. */
export interface LoadOptions {
  readonly databaseUrls: DatabaseUrls;
  readonly size: ContentSize;
  /** Where the random choices begin; the same content for the same seed. @default 1 */
  readonly seed?: number;
  /** Deletes what is there. @default false: a table that holds something is left alone, and nothing is loaded */
  readonly replace?: boolean;
  /** Told of each step. */
  readonly tell: (line: string) => void;
}

/** A table that is to be filled holds something already; the message says which. */
export class ContentExists extends Error {
  override readonly name = 'ContentExists';
}

/** In the order in which they are filled, each with its service. */
const steps: readonly (readonly [kind: keyof ContentRows, service: LoadedService])[] = [
  ['users', 'users'],
  ['posts', 'posts'],
  ['knownPosts', 'comments'],
  ['comments', 'comments'],
];

/**
 * Fills the databases of users, posts and comments as if everything had been written through the services long ago. Nothing is
 * told to anybody: a search index has to be rebuilt.
 *
 * @throws ContentExists before anything is changed
 */
export async function loadContent(options: LoadOptions): Promise<void> {
  await migrateAll(options.databaseUrls);
  const pools = openPools(options.databaseUrls);
  try {
    await makeRoom(pools, options.replace ?? false);
    const rows = createContentRows(options.size, options.seed ?? 1);
    for (const [kind, service] of steps) {
      const startedAt = performance.now();
      const count = await loadTable({ pool: pools[service], target: columns[kind], rows: rows[kind]() });
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      options.tell(`${tableOf(kind)}: ${count.toLocaleString('en')} rows in ${seconds} s`);
    }
  } finally {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
  }
}

async function migrateAll(databaseUrls: DatabaseUrls): Promise<void> {
  for (const [schema, connectionString] of Object.entries(databaseUrls)) {
    const directory = new URL(`../../../services/${schema}/migrations/`, import.meta.url);
    await migrate({ connectionString, schema, directory });
  }
}

/** To load a large table takes longer than any request may. */
function openPools(databaseUrls: DatabaseUrls): Readonly<Record<LoadedService, Pool>> {
  const open = (schema: LoadedService): Pool =>
    createPool({ connectionString: databaseUrls[schema], schema, max: 1, statementTimeoutMs: 0 });
  return { users: open('users'), posts: open('posts'), comments: open('comments') };
}

async function makeRoom(pools: Readonly<Record<LoadedService, Pool>>, replace: boolean): Promise<void> {
  for (const [kind, service] of steps) {
    const table = tableOf(kind);
    const { rowCount } = await pools[service].query(`SELECT FROM ${table} LIMIT 1`);
    if (rowCount === 0 || replace) continue;
    throw new ContentExists(`The table "${table}" of ${service} holds data already.`);
  }
  for (const [kind, service] of steps) await pools[service].query(`TRUNCATE ${tableOf(kind)}`);
}

function tableOf(kind: keyof ContentRows): string {
  return columns[kind].split(' ')[0] ?? kind;
}
