import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startSubgraph,
  startTestGateway,
  type SubgraphServer,
  type TestGateway,
} from '@trellis/gateway/testing';
import { createPool, type Pool } from '@trellis/postgres';
import { createTestDatabase, hasPgBouncer, startTestPgBouncer, type TestDatabase } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { trellis } from '../../testing/run-command.ts';

const TYPES = gql`
  enum Tone {
    WARM
    COLD
  }
  type Query {
    greeting(tone: Tone): String
    names(first: Int): [String]
  }
`;
const resolvers = { Query: { greeting: () => 'hello', names: () => [] } };

let subgraph: SubgraphServer;
let database: TestDatabase;
let pool: Pool;
let folder: string;
let collector: Server;
/** Requests of OTLP, as a collector's file exporter writes them. */
let collected: string[];
let collectorUrl: string;
let [output, errors] = ['', ''];

beforeAll(async () => {
  subgraph = await startSubgraph({ name: 'greetings', typeDefs: TYPES, resolvers });
  database = await createTestDatabase();
  pool = createPool({ connectionString: database.connectionString, schema: 'recorded_usage' });
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      collected.push(Buffer.concat(chunks).toString());
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  collectorUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/logs`;
});
afterAll(async () => {
  collector.close();
  await pool.end();
  await subgraph.close();
  await database.drop();
});
beforeEach(() => {
  collected = [];
  [output, errors] = ['', ''];
  folder = mkdtempSync(join(tmpdir(), 'trellis-usage-sinks-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const start = (databaseUrl = database.connectionString): Promise<TestGateway> =>
  startTestGateway({
    subgraphs: [subgraph],
    settings: JSON.stringify({
      usage: { directory: folder, intervalS: 1, collector: { endpoint: collectorUrl } },
    }),
    environment: { USAGE_DATABASE_URL: databaseUrl },
  });

/** The exit status of `trellis operations …`. */
async function operations(...args: readonly string[]): Promise<number> {
  const { status, out, error } = await trellis('operations', ...args);
  [output, errors] = [out, error];
  return status;
}

interface Exported {
  readonly complete?: boolean;
  readonly document?: string;
  readonly clients?: readonly { readonly name: string; readonly requests: number }[];
  readonly inputs?: readonly string[];
  readonly slices?: readonly unknown[];
}

/** What was recorded, in no order. */
async function exported(...args: readonly string[]): Promise<readonly Exported[]> {
  expect([await operations('export', ...args), errors]).toEqual([0, '']);
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Exported);
  return lines.toSorted((left, right) => (left.document ?? '').localeCompare(right.document ?? ''));
}

describe('Recorded operations', () => {
  it('are missing tables until someone makes them, which the command line says', async () => {
    expect(await operations('list', '--from', database.connectionString)).toBe(69);
    expect(errors).toMatch(/^TABLES_MISSING: .*trellis operations init\n$/);
    expect(await operations('init', '--database', database.connectionString)).toBe(0);
    expect(output).toBe('Made the tables: 0001_create_usage.\n');
    expect(await operations('init', '--database', database.connectionString)).toBe(0);
    expect(output).toBe('The tables are up to date.\n');
  });

  it('are the same in a folder, in PostgreSQL and at a collector, added up for gateways that record at once', async () => {
    const gateways = await Promise.all([start(), start(), start()]);
    const query = 'query Greet($tone: Tone) { greeting(tone: $tone) }';
    const ios = { 'graphql-client-name': 'ios' };
    for (const gateway of gateways) {
      await gateway.post({ query, variables: { tone: 'COLD' } }, ios);
      await gateway.post({ query: 'query Names { names(first: 30) }' });
    }
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // in another window
    for (const gateway of gateways) await gateway.post({ query, variables: { tone: 'WARM' } }, ios);
    await Promise.all(gateways.map((gateway) => gateway.close()));

    const file = join(folder, 'collected.jsonl');
    writeFileSync(file, collected.join('\n'));
    const fromFolder = await exported('--from', folder);
    expect(fromFolder).toMatchObject([
      { complete: true },
      {
        document: expect.stringContaining('Greet') as string,
        clients: [{ name: 'ios', requests: 6 }],
        inputs: ['Tone.COLD', 'Tone.WARM'],
      },
      {
        document: expect.stringContaining('Names') as string,
        clients: [{ requests: 3 }],
        slices: [{ literal1: 30 }],
      },
    ]);
    expect(await exported('--from', database.connectionString)).toEqual(fromFolder);
    expect(await exported('--from', file)).toEqual(fromFolder);
    expect(readFileSync(file, 'utf8')).not.toContain('first:30');
  });

  it('of another time are passed over', async () => {
    const all = ['--from', database.connectionString];
    expect(await exported(...all, '--until', '2020-01-01')).toEqual([
      { format: 'trellis-operations/1', to: '2020-01-01T00:00:00.000Z', complete: true },
    ]);
    expect(await exported(...all, '--since', '1d')).toHaveLength(3);
  });

  it('are incomplete in PostgreSQL where a process was killed', async () => {
    await pool.query(
      "INSERT INTO process (id, interval_ms, renewed_at) VALUES (gen_random_uuid(), 1000, now() - interval '1 minute')",
    );
    expect((await exported('--from', database.connectionString))[0]).toMatchObject({ complete: false });
  });

  it('are counted once where an interval is written twice, and pruned with their texts', async () => {
    const count = async (): Promise<unknown> =>
      (
        await pool.query(
          'SELECT (SELECT count(*)::int FROM interval) AS intervals, (SELECT count(*)::int FROM operation) AS operations, (SELECT count(*)::int FROM document) AS documents',
        )
      ).rows[0];
    await pool.query("UPDATE interval SET ended_at = ended_at - interval '100 days'");
    await pool.query("UPDATE document SET seen_at = seen_at - interval '100 days'");
    await pool.query("UPDATE process SET renewed_at = renewed_at - interval '100 days'");
    expect(await operations('prune', '--from', database.connectionString)).toBe(0);
    expect(output).toMatch(/^\d+ intervals deleted\.\n$/);
    expect(await count()).toEqual({ intervals: 0, operations: 0, documents: 0 });
  });

  it('reach PostgreSQL when it has tables again, and delay no request meanwhile', async () => {
    await pool.query('DROP SCHEMA recorded_usage CASCADE');
    const gateway = await start();
    await gateway.post({ query: 'query Meanwhile { greeting }' });
    const warnings = (): readonly unknown[] =>
      gateway.logged().filter(({ msg, sink }) => msg === 'usage cannot be written' && sink === 'postgres');
    await expect
      .poll(warnings)
      .toMatchObject([{ reason: expect.stringContaining('trellis operations init') as string }]);
    expect(await operations('init', '--database', database.connectionString)).toBe(0);
    await gateway.close();
    expect((await exported('--from', database.connectionString)).map(({ document }) => document)).toContain(
      'query Meanwhile{greeting}',
    );
  });

  it.skipIf(!hasPgBouncer)(
    'M7: reach PostgreSQL through a PgBouncer with its defaults (skipped without pgbouncer)',
    async () => {
      const pooler = await startTestPgBouncer({ connectionString: database.connectionString });
      const gateway = await start(pooler.connectionString);
      await gateway.post({ query: 'query Pooled { greeting }' });
      await gateway.close();
      await pooler.stop();
      expect((await exported('--from', database.connectionString)).map(({ document }) => document)).toContain(
        'query Pooled{greeting}',
      );
    },
  );

  it.each([
    [
      ['list', '--from', 'postgresql://reader:secret@127.0.0.1:1/none'],
      69,
      /^DATABASE_UNAVAILABLE: The database at 127\.0\.0\.1:1 can't be used: .+\n$/,
    ],
    [
      ['list', '--from', '.', '--since', 'yesterday'],
      64,
      /^INVALID_OPTION: --since takes a day .*, not "yesterday"\.\n$/,
    ],
    [
      ['prune', '--from', '.', '--older-than', 'x'],
      64,
      /^INVALID_OPTION: --older-than takes a number of days, not "x"\.\n$/,
    ],
    [['prune', '--from', 'package.json'], 1, /^NOT_PRUNABLE: package\.json is a file: .+\n$/],
    [['list'], 64, /^INVALID_OPTION: Say where the operations are: .+\n$/],
    [['init'], 64, /^INVALID_OPTION: Say which database: .+\n$/],
  ])('trellis operations %j fails in one sentence', async (args, status, message) => {
    expect(await operations(...args)).toBe(status);
    expect(errors).toMatch(message);
    expect(errors).not.toContain('secret');
  });

  it('are read, and lists published, as docs/recorded-operations.md says it', async () => {
    const page = readFileSync(new URL('../../../docs/recorded-operations.md', import.meta.url), 'utf8');
    const commands = [...page.matchAll(/^npx trellis operations (.+)$/gm)].map(([, words = '']) => words);
    const gateway = await start();
    const manifest = join(folder, 'persisted-documents.json');
    writeFileSync(manifest, JSON.stringify({ a: 'query A { greeting }' }));
    const lists = join(folder, 'lists');

    const here = (word: string): string =>
      word
        .replace('/var/lib/trellis/usage', folder)
        .replace(/^postgresql:.*/, database.connectionString)
        .replace(/^persisted-documents\.json$/, manifest)
        .replace(/^supergraph\.graphql$/, gateway.supergraphFile)
        .replace(/^operations\.jsonl$/, join(folder, 'operations.jsonl'))
        .replace(/^lists$/, lists);
    expect(commands.length).toBeGreaterThan(7);
    const versions = new Set(['3.1', '3.2']);
    for (const version of versions)
      expect(
        await operations(
          ...`publish --client ios --client-version ${version} --from persisted-documents.json --lists lists`
            .split(' ')
            .map(here),
        ),
      ).toBe(0);
    for (const command of commands)
      expect([command, await operations(...command.split(' ').map(here)), errors]).toEqual([command, 0, '']);
    await gateway.close();
  });
});
