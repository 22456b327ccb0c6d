import { z } from 'zod';
import { USAGE_SCHEMA } from '../usage-database.ts';
import { clientsSchema, type ReadUsage } from './recorded-interval.ts';

/** What is used of the package `pg`, which stands beside the gateway where usage is recorded to tables. */
interface DatabaseClient {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  query(query: Query): Promise<{ readonly rows: readonly unknown[] }>;
  end(): Promise<void>;
}

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Milliseconds for the result. */
  readonly query_timeout: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** Milliseconds for a statement, and those that one which begins late has. */
const [STATEMENT_TIMEOUT_MS, LEAST_TIMEOUT_MS] = [8_000, 1_000];
/** Intervals that are read at once. */
const PAGE = 10;
/** A process renews its mark with each interval: this many without are an end. */
const MISSED_INTERVALS = 3;

/** A pooler such as PgBouncer rejects what a session is to start with: the transaction has it. */
const TIMEOUT = `SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`;
/** A process that ended before the time that is asked for has left nothing out of it. */
const KILLED = `
  SELECT id FROM ${USAGE_SCHEMA}.process
   WHERE renewed_at + $1 * interval_ms * interval '1 ms' BETWEEN $2::timestamptz AND now() LIMIT 1`;
const INTERVALS = `
  SELECT process, began_at AS "from", ended_at AS "to", is_complete AS "isComplete" FROM ${USAGE_SCHEMA}.interval
   WHERE ended_at > $1 AND (began_at, process) < ($2::timestamptz, $3::uuid)
   ORDER BY began_at DESC, process DESC LIMIT ${PAGE}`;
const OPERATIONS = `
  SELECT process, began_at AS "from", document_id AS id, counts -> 'clients' AS clients
    FROM unnest($1::uuid[], $2::timestamptz[]) AS wanted (process, began_at)
    JOIN ${USAGE_SCHEMA}.operation USING (process, began_at)`;
const DOCUMENTS = `SELECT id, text FROM ${USAGE_SCHEMA}.document WHERE id = ANY ($1)`;

const noRowsSchema = z.array(z.never());
const killedSchema = z.array(z.object({ id: z.string() }));
const intervalsSchema = z.array(
  z.object({ process: z.string(), from: z.date(), to: z.date(), isComplete: z.boolean() }),
);
const operationsSchema = z.array(
  z.object({ process: z.string(), from: z.date(), id: z.string(), clients: clientsSchema.nullable() }),
);
const documentsSchema = z.array(z.object({ id: z.string(), text: z.string() }));

type StoredInterval = z.infer<typeof intervalsSchema>[number];

/**
 * Reads what gateways have written into tables, the newest interval first, by one connection.
 *
 * @param sinceMs intervals that ended before are passed over
 * @param endsMs of `performance.now()`: statements that take longer fail, soon after it
 * @throws Error where the database can't be read; its message has no password
 */
export async function* readUsageTables(
  connectionString: string,
  sinceMs: number,
  endsMs: number,
): AsyncGenerator<ReadUsage> {
  const client = await openClient(connectionString);
  try {
    await client.connect();
    const rowsOf = readerOf(client, endsMs);
    await rowsOf(noRowsSchema, 'BEGIN READ ONLY');
    await rowsOf(noRowsSchema, TIMEOUT);
    const since = new Date(sinceMs);
    const killed = await rowsOf(killedSchema, KILLED, MISSED_INTERVALS, since);
    if (killed.length > 0) yield 'missing';
    let last: Pick<StoredInterval, 'process' | 'from'> = LATEST;
    for (;;) {
      const intervals = await rowsOf(intervalsSchema, INTERVALS, since, last.from, last.process);
      yield* await withOperations(rowsOf, intervals);
      const next = intervals.at(-1);
      if (!next) return;
      last = next;
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

const LATEST = { process: 'ffffffff-ffff-ffff-ffff-ffffffffffff', from: new Date('9999-12-31T00:00:00Z') };

/** Runs a statement. The tables may be of another version than this gateway: a schema checks the rows. */
type RowsOf = <Row>(
  schema: z.ZodType<readonly Row[]>,
  text: string,
  ...values: readonly unknown[]
) => Promise<readonly Row[]>;

function readerOf(client: DatabaseClient, endsMs: number): RowsOf {
  return async (schema, text, ...values) => {
    const leftMs = Math.ceil(endsMs - performance.now());
    const timeoutMs = Math.min(STATEMENT_TIMEOUT_MS, Math.max(LEAST_TIMEOUT_MS, leftMs));
    return schema.parse((await client.query({ text, values, query_timeout: timeoutMs })).rows);
  };
}

async function withOperations(
  rowsOf: RowsOf,
  intervals: readonly StoredInterval[],
): Promise<readonly ReadUsage[]> {
  if (intervals.length === 0) return [];
  const keys = [intervals.map(({ process }) => process), intervals.map(({ from }) => from)];
  const found = await rowsOf(operationsSchema, OPERATIONS, ...keys);
  const documents = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    new Map((await rowsOf(documentsSchema, DOCUMENTS, ids)).map(({ id, text }) => [id, text]));
  return intervals.map(({ process, from, to, isComplete }) => ({
    from,
    to,
    isComplete,
    operations: found
      .filter((one) => one.process === process && one.from.getTime() === from.getTime())
      .map(({ id, clients }) => ({ id, clients: clients ?? [] })),
    documents,
  }));
}

async function openClient(connectionString: string): Promise<DatabaseClient> {
  const { default: pg } = await import('pg');
  const client: DatabaseClient = new pg.Client({
    connectionString,
    application_name: 'trellis-gateway-field-search',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // what is under way fails with it
  return client;
}
