import { sleep } from '@trellis/events';
import { createPool, defineStatements, execute, onlyRow, queryRows, type Pool } from '@trellis/postgres';
import { EXIT_INTERRUPTED, EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { sources, type SearchConfig } from './config.ts';
import { statements } from './generated/statements.ts';

/** Where a command writes to. */
export interface CommandStreams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Settings of {@link runSearchCommand}. */
export interface SearchCommandOptions extends CommandStreams {
  /** Ends the waiting; the rebuild goes on without it. */
  readonly signal: AbortSignal;
  /** Milliseconds between two looks. @default 500 */
  readonly pauseMs?: number;
}

const sql = defineStatements(statements, 'rebuild', {
  deleteCursors: 'DELETE FROM event_cursor',
  countCursors: { notNull: ['count'], text: 'SELECT count(*)::int AS count FROM event_cursor' },
  countDocuments: {
    notNull: ['users', 'posts', 'comments'],
    text: `
    SELECT (SELECT count(*)::int FROM user_document) AS users,
      (SELECT count(*)::int FROM post_document WHERE published) AS posts,
      (SELECT count(*)::int FROM comment_document) AS comments`,
  },
});

const USAGE = `Commands:
  rebuild [--json]   has the running search service read everything again from its owners, and waits until it has
`;

/**
 * Runs a command of the search service against its database; a running service needs no notification.
 *
 * @param args what follows the program's name: `rebuild`
 * @returns the exit status: 0, 64 when it was called wrongly, 130 when it was interrupted
 */
export async function runSearchCommand(
  args: readonly string[],
  config: Pick<SearchConfig, 'DATABASE_URL'>,
  options: SearchCommandOptions,
): Promise<number> {
  const isJson = args[1] === '--json';
  if (args.length > (isJson ? 2 : 1) || args[0] !== 'rebuild') {
    options.stderr.write(USAGE);
    return EXIT_USAGE;
  }
  const pool = createPool({ connectionString: config.DATABASE_URL, schema: 'search', max: 1 });
  try {
    return await rebuild(pool, options, isJson);
  } finally {
    await pool.end();
  }
}

/**
 * Deletes the cursors: a consumer without one starts a snapshot of its source. Indexed documents can be found meanwhile;
 * what the sources no longer have is removed at the end.
 */
async function rebuild(
  pool: Pool,
  { stdout, stderr, signal, pauseMs = 500 }: SearchCommandOptions,
  isJson: boolean,
): Promise<number> {
  const progress = isJson ? stderr : stdout;
  const startedAt = Date.now();
  await execute(pool, sql.deleteCursors, []);
  progress.write('The index is read again from users, posts and comments …\n');
  while (!signal.aborted) {
    await sleep(pauseMs, signal);
    if ((await countCursors(pool)) < sources.length) continue;
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
    const { users, posts, comments } = onlyRow(await queryRows(pool, sql.countDocuments, []));
    stdout.write(
      isJson
        ? `${JSON.stringify({ seconds: Number(seconds), users, posts, comments })}\n`
        : `Rebuilt in ${seconds} s: ${users} users, ${posts} published posts, ${comments} comments.\n`,
    );
    return 0;
  }
  progress.write('Not waiting any more; a running search service goes on with it.\n');
  return EXIT_INTERRUPTED;
}

async function countCursors(pool: Pool): Promise<number> {
  return onlyRow(await queryRows(pool, sql.countCursors, [])).count;
}
