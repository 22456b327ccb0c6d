import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '@trellis/postgres';
import { proof } from '@trellis/testkit';
import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import type { ContentServices } from '../harness/content-services.ts';
import { canLimitFiles, limitFilesOf } from '../harness/file-size-limit.ts';
import { isClean, runChaos, type Fault } from './content-chaos/run-chaos.ts';
import { withOwnPostgres } from './content-chaos/with-services.ts';

const sizes = { small: { mutations: 150, faults: 1 }, full: { mutations: 3_000, faults: 3 } };
/** The disk is full until writers have been rejected this often. */
const REJECTIONS = 20;
const GIVE_UP_MS = 30_000;

// The outbox must be larger than a file of the write-ahead log, which may go on growing to its 16 MiB: where that can't be
// written the server ends itself, as PostgreSQL does.
const FILL = `
  WITH filled AS (
    INSERT INTO posts.outbox (id, type, subject, payload, seq)
    SELECT gen_random_uuid(), 'filler', gen_random_uuid(), to_json(repeat(md5(i::text), 55)), i
    FROM generate_series(1, 12000) AS i RETURNING seq
  )
  UPDATE posts.outbox_head SET seq = (SELECT max(seq) FROM filled)`;
const OUTBOX_SIZE = `
  SELECT max(pg_relation_size(inhrelid))::float8 AS bytes FROM pg_inherits WHERE inhparent = 'posts.outbox'::regclass`;

/** F-17: writers, while the database can't write one byte more of the outbox, and can again. */
proof({
  name: 'database-full',
  description:
    'a full disk makes mutations fail and nothing else (F-17): reads go on, nothing acknowledged is lost, nothing is published that was rolled back',
  run: ({ size, seed }) =>
    canLimitFiles()
      ? prove(sizes[size], seed)
      : Promise.resolve({ passed: true, figures: { skipped: 'no prlimit on this machine' } }),
});

function prove({ mutations, faults }: { mutations: number; faults: number }, seed: number) {
  return withOwnPostgres(async ({ services, databases, pool, dataDirectory }) => {
    await pool.query(FILL);
    const figures = { timesFull: 0, readsMeanwhile: 0, failedReads: 0 };
    const fault: Fault = async ({ retries }) => {
      limitFiles(dataDirectory, String(await outboxSize(pool)));
      const [before, end] = [retries(), Date.now() + GIVE_UP_MS];
      while (retries() < before + REJECTIONS && Date.now() < end) {
        figures.readsMeanwhile += 1;
        if (!(await reads(services))) figures.failedReads += 1;
        await delay(50);
      }
      if (retries() >= before + REJECTIONS) figures.timesFull += 1;
      limitFiles(dataDirectory, 'unlimited');
    };
    const { findings, ...counts } = await runChaos({
      services,
      databases,
      mutations,
      faults: Array.from({ length: faults }, () => fault),
      seed,
    });
    return {
      passed: isClean(findings) && figures.timesFull === faults && figures.failedReads === 0,
      figures: { ...counts, ...figures, ...findings },
    };
  });
}

/** PostgreSQL treats a file that may not grow as a full disk. What its processes may is set for each that runs; others inherit. */
function limitFiles(dataDirectory: string, bytes: string): void {
  const postmaster = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';
  const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === postmaster);
  for (const pid of [postmaster, ...children]) limitFilesOf(pid, bytes);
}

function parentOf(pid: string): string | undefined {
  try {
    return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined; // it has ended
  }
}

async function outboxSize(pool: Pool): Promise<number> {
  return (await pool.query<{ bytes: number }>(OUTBOX_SIZE)).rows[0]?.bytes ?? 0;
}

async function reads({ instances, keys }: ContentServices): Promise<boolean> {
  const response = await fetch(`${instances.posts[0]?.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [USER_CONTEXT_HEADER]: await keys.sign('posts', { scopes: ['read:data'] }),
    },
    body: JSON.stringify({ query: '{ posts(first: 5) { title } }' }),
    signal: AbortSignal.timeout(5_000),
  });
  const { errors } = (await response.json()) as { errors?: unknown };
  return errors === undefined;
}
