import { createPool, type Pool } from '@trellis/postgres';
import { migrateSubgraph } from '@trellis/subgraph-kit';
import { columns, createContentRows, type ContentRows, type ContentSize } from './content-rows.ts';
import { indexContent, indexLoads } from './index-content.ts';
import { loadTable } from './load-table.ts';
import { skipToNow } from './skip-to-now.ts';

/** The services whose databases are filled. */
export type LoadedService = 'users' | 'posts' | 'comments' | 'search';

/** Where each service keeps its data. */
export type DatabaseUrls = Readonly<Record<LoadedService, string>>;

/** What {@link loadContent} does. */
export interface LoadOptions {
  readonly databaseUrls: DatabaseUrls;
  readonly size: ContentSize;
  /** Where the random choices begin; the same content for the same seed. @default 1 */
  readonly seed?: number;
  /** Deletes existing rows. @default false: a table that holds something is left alone, and nothing is loaded */
  readonly replace?: boolean;
  /** Prints a line for each step. */
  readonly print: (line: string) => void;
  /** Shows what is loaded from now on. */
  readonly begin?: (name: string) => void;
  /** Shows how far that is. */
  readonly update?: (detail: string) => void;
}

/** A table that was filled. */
export interface LoadedTable {
  readonly table: string;
  readonly rows: number;
  readonly seconds: number;
}

/** A table that is to be filled holds something already; the message says which. */
export class ContentExists extends Error {
  override readonly name = 'ContentExists';
}

type Pools = Readonly<Record<LoadedService, Pool>>;

/** In the order in which they are filled, each with its service. */
const steps: readonly (readonly [kind: keyof ContentRows, service: LoadedService])[] = [
  ['users', 'users'],
  ['posts', 'posts'],
  ['knownPosts', 'comments'],
  ['comments', 'comments'],
];

/** All tables that are filled. */
const tables: readonly (readonly [table: string, service: LoadedService])[] = [
  ...steps.map(([kind, service]) => [tableOf(kind), service] as const),
  ...indexLoads.map(({ documents }) => [documents.table, 'search'] as const),
];

/**
 * Fills the databases of users, posts, comments and search as if everything had been written through the services long ago.
 * No event is published, because every consumer has it.
 *
 * @throws ContentExists before anything is changed
 */
export async function loadContent(options: LoadOptions): Promise<readonly LoadedTable[]> {
  await migrateAll(options.databaseUrls);
  const pools = openPools(options.databaseUrls);
  try {
    await makeRoom(pools, options.replace ?? false);
    const rows = createContentRows(options.size, options.seed ?? 1);
    const loaded: LoadedTable[] = [];
    for (const [kind, service] of steps) {
      const fill = (): Promise<number> =>
        loadTable({ pool: pools[service], target: columns[kind], rows: counted(rows[kind](), options) });
      loaded.push(await step(tableOf(kind), options, fill));
    }
    await skipToNow({ consumer: pools.comments, source: pools.posts, name: 'posts' });
    for (const load of indexLoads) {
      const { table, source } = load.documents;
      const fill = (): Promise<number> => indexContent(load, pools.search, pools[source]);
      loaded.push(await step(table, options, fill));
    }
    return loaded;
  } finally {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
  }
}

const ROWS_PER_UPDATE = 10_000;

/** Says now and then how many rows were made. */
function* counted(rows: Iterable<string>, { update }: LoadOptions): Iterable<string> {
  let count = 0;
  for (const row of rows) {
    yield row;
    count += 1;
    if (count % ROWS_PER_UPDATE === 0) update?.(`${count.toLocaleString('en')} rows`);
  }
}

async function step(
  table: string,
  { begin, print }: LoadOptions,
  fill: () => Promise<number>,
): Promise<LoadedTable> {
  begin?.(table);
  const startedAt = performance.now();
  const rows = await fill();
  const seconds = Number(((performance.now() - startedAt) / 1_000).toFixed(1));
  print(`${table}: ${rows.toLocaleString('en')} rows in ${seconds.toFixed(1)} s`);
  return { table, rows, seconds };
}

async function migrateAll(databaseUrls: DatabaseUrls): Promise<void> {
  for (const [schema, connectionString] of Object.entries(databaseUrls)) {
    const directory = new URL(`../../../services/${schema}/migrations/`, import.meta.url);
    await migrateSubgraph({ connectionString, schema, directory });
  }
}

/** To load a large table takes longer than any request may. */
function openPools(databaseUrls: DatabaseUrls): Pools {
  const open = (schema: LoadedService): Pool =>
    createPool({ connectionString: databaseUrls[schema], schema, max: 1, statementTimeoutMs: 0 });
  return { users: open('users'), posts: open('posts'), comments: open('comments'), search: open('search') };
}

async function makeRoom(pools: Pools, replace: boolean): Promise<void> {
  for (const [table, service] of tables) {
    const { rowCount } = await pools[service].query(`SELECT FROM ${table} LIMIT 1`);
    if (rowCount === 0 || replace) continue;
    throw new ContentExists(`The table "${table}" of ${service} holds data already.`);
  }
  for (const [table, service] of tables) await pools[service].query(`TRUNCATE ${table}`);
}

function tableOf(kind: keyof ContentRows): string {
  return columns[kind].split(' ')[0] ?? kind;
}
