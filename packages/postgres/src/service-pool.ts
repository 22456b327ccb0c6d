import { callbackify } from 'node:util';
import pg from 'pg';
import { beginWith, startupOptions, type SessionSettings } from './session-settings.ts';

/**
 * A pool whose statements have the same settings on every way to the server. Directly, each connection's session starts with
 * them. A pooler such as PgBouncer in transaction mode lends a server's session for one transaction at a time and rejects
 * (or drops) what a session is to start with: then each transaction begins with the settings, and a single statement is a
 * transaction of its own, sent in one go. The pool finds out at its first connection.
 */
export class ServicePool extends pg.Pool {
  readonly #settings: SessionSettings;
  readonly #route: Route;
  /** Whether it is known that sessions are shared, or not. */
  #isKnown = false;
  #known: Promise<void> | undefined;

  constructor(config: pg.PoolConfig, settings: SessionSettings) {
    const route: Route = { begin: undefined };
    super({ ...config, options: startupOptions(settings), Client: clientOn(route) });
    this.#settings = settings;
    this.#route = route;
  }

  /** Whether what is set or locked for a session may reach other clients. Known after the first connection. */
  get sharesSessions(): boolean {
    return this.#route.begin !== undefined;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    if (this.#isKnown) return callback ? super.connect(callback) : super.connect();
    this.#known ??= this.#findOut();
    const connected = this.#known.then(() => super.connect());
    if (!callback) return connected;
    callbackify(() => connected)((error, client) => callback(error ?? undefined, client, releaseOf(client)));
  }

  /** @throws Error when there is no connection; the next one finds out */
  async #findOut(): Promise<void> {
    try {
      if (!(await this.#keepsSettings())) this.#shareSessions();
      this.#isKnown = true;
    } finally {
      this.#known = undefined;
    }
  }

  async #keepsSettings(): Promise<boolean> {
    let client: pg.PoolClient | undefined;
    let hasSettings = false;
    try {
      client = await super.connect();
      hasSettings = await this.#hasSettings(client);
      return hasSettings;
    } catch (error) {
      if (rejectsStartup(error)) return false;
      throw error;
    } finally {
      client?.release(!hasSettings); // whatever has failed: its place is free again
    }
  }

  async #hasSettings(client: pg.PoolClient): Promise<boolean> {
    const { rowCount } = await client.query("SELECT WHERE current_setting('search_path') = $1", [
      this.#settings['search_path'],
    ]);
    return rowCount === 1;
  }

  #shareSessions(): void {
    this.#route.begin = beginWith(this.#settings);
    this.options.options = undefined;
    this.options.pipeline = true;
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (destroy?: boolean | Error) => void,
) => void;

/** How the pool's clients reach the server. */
interface Route {
  /** Begins a transaction where sessions are shared. */
  begin: string | undefined;
}

/** Clients that bring the settings with each transaction where sessions are shared. */
function clientOn(route: Route): typeof pg.Client {
  return class extends pg.Client {
    // The overloads of pg's `query` can't be repeated here: what is given is passed on as it is.
    override query(...given: Statement): never {
      const send: Send = (...statement) => super.query(...(statement as [string]));
      const { begin } = route;
      if (begin === undefined) return send(...given) as never;
      const statement = unnamed(given);
      if (isOpen(this.getTransactionStatus())) return send(...statement) as never;
      return withCallback(statement, (...alone) =>
        isBegin(alone) ? send(begin) : inOneGo(begin, alone, send),
      ) as never;
    }
  };
}

/** Of a connection that is new, nothing is known yet. */
function isOpen(status: ReturnType<pg.Client['getTransactionStatus']>): boolean {
  return status === 'T' || status === 'E';
}

/** A prepared statement belongs to a session: under its name, the next one may have another statement, or none. */
function unnamed(statement: Statement): Statement {
  const [first, ...others] = statement;
  if (typeof first !== 'object' || first === null || !('name' in first)) return statement;
  return [{ ...first, name: undefined }, ...others];
}

/** The arguments of pg's `query`: a text or an object, values, a callback. */
type Statement = readonly unknown[];
type Send = (...statement: Statement) => Promise<unknown>;

function isBegin([text]: Statement): boolean {
  return text === 'BEGIN';
}

/** Pipelined: one round trip. A statement that fails makes its `COMMIT` a rollback. */
async function inOneGo(begin: string, statement: Statement, send: Send): Promise<unknown> {
  const sent = [send(begin), send(...statement), send('COMMIT')];
  await Promise.allSettled(sent);
  return (await Promise.all(sent))[1];
}

/** pg's pool gives a callback as the last argument; others await. */
function withCallback(given: Statement, run: Send): Promise<unknown> | undefined {
  const callback = given.at(-1);
  if (!isCallback(callback)) return run(...given);
  callbackify(() => run(...given.slice(0, -1)))(callback);
  return undefined;
}

function isCallback(value: unknown): value is (error: Error | null, result: unknown) => void {
  return typeof value === 'function';
}

/** SQLSTATE protocol_violation. */
const PROTOCOL_VIOLATION = '08P01';

function rejectsStartup(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === PROTOCOL_VIOLATION &&
    error.message.includes('startup parameter')
  );
}

function releaseOf(client: pg.PoolClient | undefined): (destroy?: boolean | Error) => void {
  return (destroy) => client?.release(destroy);
}
