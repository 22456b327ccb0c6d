import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { parseFlags } from '@trellis/runtime/parse-flags';
import { ContentExists, loadContent } from '@trellis/bench/content';
import { openContentDatabases } from 'trellis/platform';
import { createProgress, createTerminal, createWorkLines } from 'trellis/terminal';
import { explainFailure } from 'trellis/explain-failure';

const USAGE = `npm run load -- [--users N] [--posts N] [--comments N] [--seed N] [--replace] [--json]

Fills the databases of users, posts, comments and search with made-up content, for measuring. By default 100,000 users, 1,000,000 posts
and 10,000,000 comments, a few gigabytes. The databases are those of DATABASE_URL (or USERS_DATABASE_URL, …), else those of
DATA_DIR, on which no platform may run meanwhile.
  --replace  deletes the users, posts and comments of before; without it they are left alone and nothing is loaded
  --json     prints the tables with their rows and seconds as one JSON document; progress goes to the standard error
`;

const flags = readFlags();
if (flags.help) process.stdout.write(USAGE);
else await load();

function readFlags() {
  try {
    const count = { type: 'string' } as const;
    const { values } = parseFlags({
      options: {
        users: { ...count, default: '100000' },
        posts: { ...count, default: '1000000' },
        comments: { ...count, default: '10000000' },
        seed: { ...count, default: '1' },
        replace: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const size = {
      users: readCount('users', values.users),
      posts: readCount('posts', values.posts),
      comments: readCount('comments', values.comments),
    };
    const { replace, json, help } = values;
    return { size, seed: readCount('seed', values.seed), replace, json, help };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(EXIT_USAGE);
  }
}

function readCount(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number from 1 to 999999999, not "${text}".`);
}

async function load(): Promise<void> {
  const terminal = createTerminal(flags.json ? process.stderr : process.stdout, process.env);
  const progress = createProgress(terminal, { isTransient: true });
  try {
    const { urls, close } = await openContentDatabases(process.env, progress);
    const lines = createWorkLines(progress, 'Preparing');
    try {
      const tables = await loadContent({ databaseUrls: urls, ...flags, ...lines });
      lines.end();
      if (flags.json) process.stdout.write(`${JSON.stringify({ seed: flags.seed, tables })}\n`);
    } finally {
      lines.end();
      await close();
    }
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  }
}

function explain(error: unknown): string {
  return error instanceof ContentExists
    ? `${error.message} Nothing was loaded; --replace deletes it.`
    : explainFailure(error);
}
