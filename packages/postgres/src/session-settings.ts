import pg from 'pg';

/** Run-time parameters of PostgreSQL that a pool's statements need, by name. */
export type SessionSettings = Readonly<Record<string, string>>;

/** What {@link sessionSettings} is made of. */
export interface SessionSettingsOptions {
  /** The schema in which unqualified names resolve, and nowhere else. */
  readonly schema: string;
  /** Milliseconds after which the server ends a statement. */
  readonly statementTimeoutMs: number;
}

const IDLE_IN_TRANSACTION_MS = 10_000;

/** Makes the settings of every session of a pool. */
export function sessionSettings({ schema, statementTimeoutMs }: SessionSettingsOptions): SessionSettings {
  return {
    search_path: schema,
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
    // A request takes one core: to start parallel workers, or to compile an expression, costs a short statement more than it
    // saves, and the other requests wait for the cores.
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    work_mem: '16MB', // bitmaps of frequent words fit: what does not fit is read and checked page by page
  };
}

/** The `options` of a connection's start-up, for a server that gives each client a session of its own. */
export function startupOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Begins a transaction that has the settings until it ends, and leaves none of them behind in the session. */
export function beginWith(settings: SessionSettings): string {
  const statements = Object.entries(settings).map(
    ([name, value]) => `SET LOCAL ${name} = ${pg.escapeLiteral(value)}`,
  );
  return ['BEGIN', ...statements].join('; ');
}
