import { NeverStored, type UsageSink } from './usage-queue.ts';
import type { RecordedInterval } from './usage-lines.ts';

/** What is used of the package `pg`, which stands beside the gateway where this is switched on. */
interface DatabaseClient {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
  end(): Promise<void>;
}

type OpenClient = (options: object) => DatabaseClient;

/** The schema of the tables that `trellis operations init` makes. */
export const USAGE_SCHEMA = 'recorded_usage';
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 9_000;

/** A pooler such as PgBouncer rejects what a session is to start with: the transaction has it. */
const BEGIN = `BEGIN; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`;

/** An interval, its documents and the mark of its process. The order of documents is the same for all who write at once. */
const WRITE = `
  WITH sent AS (
    SELECT line ->> 'id' AS id, line ->> 'document' AS text, line - 'id' - 'document' AS counts
      FROM jsonb_array_elements($5::jsonb) AS line
  ), marked AS (
    INSERT INTO ${USAGE_SCHEMA}.process (id, interval_ms) VALUES ($1, $6)
    ON CONFLICT (id) DO UPDATE SET renewed_at = now()
  ), begun AS (
    INSERT INTO ${USAGE_SCHEMA}.interval (process, began_at, ended_at, is_complete) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING RETURNING process, began_at
  ), documents AS (
    INSERT INTO ${USAGE_SCHEMA}.document (id, text, seen_at)
    SELECT DISTINCT ON (id) id, text, $3::timestamptz FROM sent ORDER BY id
    ON CONFLICT (id) DO UPDATE SET seen_at = greatest(document.seen_at, excluded.seen_at)
  )
  INSERT INTO ${USAGE_SCHEMA}.operation (process, began_at, document_id, counts)
  SELECT process, began_at, id, counts FROM begun, sent`;

const END = `DELETE FROM ${USAGE_SCHEMA}.process WHERE id = $1`;

/**
 * Tables in PostgreSQL, which any number of gateways share: an interval is one transaction. It connects for each, so that a gateway
 * holds no connection between them. Poolers may stand before it.
 */
export class UsageDatabase implements UsageSink {
  readonly name = 'postgres';
  readonly #connectionString: string;
  readonly #process: string;
  readonly #intervalMs: number;

  /** @param connectionString of a role that may insert, and update what it has inserted */
  constructor(connectionString: string, process: string, intervalMs: number) {
    this.#connectionString = connectionString;
    this.#process = process;
    this.#intervalMs = intervalMs;
  }

  /** @throws Error when the package `pg` is missing */
  async open(): Promise<void> {
    await openClient();
  }

  async write(interval: RecordedInterval, signal: AbortSignal): Promise<number> {
    const { from, to, isComplete, operations } = interval;
    const lines = storable(`[${operations.map(({ text }) => text).join(',')}]`);
    await this.#query(WRITE, [this.#process, from, to, isComplete, lines, this.#intervalMs], signal);
    return 0;
  }

  async close(signal: AbortSignal): Promise<void> {
    await this.#query(END, [this.#process], signal).catch(() => undefined); // then the mark says that something is missing
  }

  async #query(text: string, values: readonly unknown[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const open = await openClient();
    const client = open({
      connectionString: this.#connectionString,
      application_name: 'trellis-gateway-usage',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
    });
    client.on('error', () => undefined); // what is under way fails with it
    // It ends what is under way, and fails it.
    const stop = (): void => void client.end().catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await client.connect();
      await client.query(BEGIN);
      await client.query(text, values);
      await client.query('COMMIT');
    } catch (error) {
      throw inWords(error);
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }
}

const NO_PACKAGE =
  'recording to PostgreSQL needs the package pg, which is not beside @trellis/gateway: npm install pg@8, or the image with it, or the program' +
  ' trellis, which brings it; usage.directory and usage.collector need no package. See docs/recorded-operations.md';

async function openClient(): Promise<OpenClient> {
  try {
    const { default: pg } = await import('pg');
    return (options) => new pg.Client(options);
  } catch (error) {
    throw new Error(NO_PACKAGE, { cause: error });
  }
}

/** PostgreSQL stores no character 0: a token may have one in a scope. */
function storable(json: string): string {
  if (!json.includes('\\u0000')) return json;
  const replace = (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? value.replaceAll('\u{0}', '\u{FFFD}') : value;
  return JSON.stringify(JSON.parse(json, replace));
}

/** SQLSTATE: undefined_table, invalid_schema_name, undefined_column. */
const MISSING_TABLES: ReadonlySet<string> = new Set(['42P01', '3F000', '42703']);
/** SQLSTATE classes: data exception, program limit exceeded. The same interval will fail again. */
const UNSTORABLE = /^(?:22|54)/;

function inWords(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (MISSING_TABLES.has(code))
    return new Error('the tables are missing, or of another version: run trellis operations init', {
      cause: error,
    });
  if (UNSTORABLE.test(code)) return new NeverStored((error as Error).message, { cause: error });
  return error;
}
