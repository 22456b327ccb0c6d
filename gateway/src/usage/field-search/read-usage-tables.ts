import { z } from 'zod';
import { clientsSchema, type ReadUsage, type RecordedOperation } from './recorded-interval.ts';

/** What is used of the package `pg`, which stands beside the gateway where usage is recorded to tables. */
interface DatabaseClient {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  end(): Promise<void>;
}

const SCHEMA = 'recorded_usage';
const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 8_000;
/** Intervals that are read at once. */
const PAGE = 10;
/** A process renews its mark with each interval: this many without are an end. */
const MISSED_INTERVALS = 3;

/** A pooler such as PgBouncer rejects what a session is to start with: the transaction has it. */
const BEGIN = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`;
const KILLED = `SELECT id FROM ${SCHEMA}.process WHERE renewed_at + $1 * interval_ms * interval '1 ms' < now() LIMIT 1`;
const INTERVALS = `
  SELECT process, began_at AS "from", ended_at AS "to", is_complete AS "isComplete" FROM ${SCHEMA}.interval
   WHERE ended_at > $1 AND (began_at, process) < ($2::timestamptz, $3::uuid)
   ORDER BY began_at DESC, process DESC LIMIT ${PAGE}`;
const OPERATIONS = `
  SELECT process, began_at AS "from", document_id AS id, counts -> 'clients' AS clients
    FROM unnest($1::uuid[], $2::timestamptz[]) AS wanted (process, began_at)
    JOIN ${SCHEMA}.operation USING (process, began_at)`;
const DOCUMENT = `SELECT text FROM ${SCHEMA}.document WHERE id = $1`;

const intervalsSchema = z.array(
  z.object({ process: z.string(), from: z.date(), to: z.date(), isComplete: z.boolean() }),
);
const operationsSchema = z.array(
  z.object({ process: z.string(), from: z.date(), id: z.string(), clients: clientsSchema.nullable() }),
);
const documentsSchema = z.array(z.object({ text: z.string() }));

type StoredInterval = z.infer<typeof intervalsSchema>[number];

/**
 * Reads what gateways have written into tables, the newest interval first, by one connection.
 *
 * @param sinceMs intervals that ended before are passed over
 * @throws Error where the database can't be read; its message has no password
 */
export async function* readUsageTables(connectionString: string, sinceMs: number): AsyncGenerator<ReadUsage> {
  const client = await openClient(connectionString);
  try {
    await client.connect();
    await client.query(BEGIN);
    const killed = await client.query(KILLED, [MISSED_INTERVALS]);
    if (killed.rows.length > 0) yield 'missing';
    let last: Pick<StoredInterval, 'process' | 'from'> = LATEST;
    for (;;) {
      const page = await client.query(INTERVALS, [new Date(sinceMs), last.from, last.process]);
      const intervals = intervalsSchema.parse(page.rows);
      yield* await withOperations(client, intervals);
      const next = intervals.at(-1);
      if (!next) return;
      last = next;
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

const LATEST = { process: 'ffffffff-ffff-ffff-ffff-ffffffffffff', from: new Date('9999-12-31T00:00:00Z') };

async function withOperations(
  client: DatabaseClient,
  intervals: readonly StoredInterval[],
): Promise<readonly ReadUsage[]> {
  if (intervals.length === 0) return [];
  const keys = [intervals.map(({ process }) => process), intervals.map(({ from }) => from)];
  const found = operationsSchema.parse((await client.query(OPERATIONS, keys)).rows);
  return intervals.map(({ process, from, to, isComplete }) => ({
    from,
    to,
    isComplete,
    operations: found
      .filter((one) => one.process === process && one.from.getTime() === from.getTime())
      .map(({ id, clients }) => operationOf(client, id, clients ?? [])),
  }));
}

function operationOf(
  client: DatabaseClient,
  id: string,
  clients: RecordedOperation['clients'],
): RecordedOperation {
  const document = async (): Promise<string | undefined> =>
    documentsSchema.parse((await client.query(DOCUMENT, [id])).rows)[0]?.text;
  return { id, clients, document };
}

async function openClient(connectionString: string): Promise<DatabaseClient> {
  const { default: pg } = await import('pg');
  const client: DatabaseClient = new pg.Client({
    connectionString,
    application_name: 'trellis-gateway-field-search',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // what is under way fails with it
  return client;
}
