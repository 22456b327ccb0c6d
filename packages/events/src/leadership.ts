import type { Logger } from '@trellis/runtime';
import { createOutageLog, type OutageLog } from '@trellis/runtime/outage-log';
import {
  defineStatements,
  execute,
  inTransaction,
  onlyRow,
  queryRows,
  type Pool,
  type Queryable,
  type Transaction,
} from '@trellis/postgres';
import { statements } from './generated/statements.ts';
import { isTransientFailure } from './is-transient-failure.ts';
import { sleep } from './wake-up.ts';

/** Work that one process does at a time, however many run. */
export interface LeadershipOptions {
  /** Keeps one of its connections for as long as the process has the leadership or waits for it. */
  readonly pool: Pool;
  /** What is led, for example `relay of posts`. */
  readonly name: string;
  readonly logger: Logger;
  /**
   * Runs until aborted. It must write by the leader's own statements, or guard its writes otherwise: the lock is gone with its
   * connection, and another process may lead from then on.
   */
  readonly work: (leader: Leader, signal: AbortSignal) => Promise<void>;
}

/** The process that has the leadership. */
export interface Leader {
  /** Never writes at the same time as another leader of the same name. */
  readonly statements: Queryable;
  /** The session that only the leader uses; absent behind a pooler in transaction mode, which shares sessions. */
  readonly session?: Transaction;
}

/** Something that runs in the background. */
export interface Background {
  /** Ends it, and waits until it has ended. Safe to call twice. */
  close(): Promise<void>;
}

const sql = defineStatements(statements, 'leadership', {
  acquire: {
    notNull: ['acquired'],
    text: 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS acquired',
  },
  acquireInTransaction: {
    notNull: ['acquired'],
    text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS acquired',
  },
  lockWrites: 'SELECT FROM pg_advisory_xact_lock(hashtextextended($1, 0))',
});

const RETRY_MS = 1_000;
/** Well below the seconds after which the server ends an idle transaction. */
const HEARTBEAT_MS = 2_000;

/** Does the work whenever this process gets the lock, and tries again after every failure. */
export function startLeadership(options: LeadershipOptions): Background {
  const controller = new AbortController();
  const ended = campaign(options, controller.signal);
  return {
    close: () => {
      controller.abort();
      return ended;
    },
  };
}

async function campaign(options: LeadershipOptions, signal: AbortSignal): Promise<void> {
  const outages = createOutageLog({
    logger: options.logger,
    failure: 'lost a leadership',
    bindings: { leadership: options.name },
    isTransient: isTransientFailure,
  });
  while (!signal.aborted) {
    await serveTerm(options, outages, signal).catch((error: unknown) => {
      if (!signal.aborted) outages.failed(error);
    });
    await sleep(RETRY_MS, signal);
  }
}

/** One connection's worth: waits for the lock, has the leadership, and gives the connection up. */
async function serveTerm(options: LeadershipOptions, outages: OutageLog, signal: AbortSignal): Promise<void> {
  const { pool, name, work, logger } = options;
  const connection = await pool.connect();
  const term = new AbortController();
  const lose = (): void => term.abort();
  connection.on('error', lose);
  try {
    const lock = pool.sharesSessions ? transactionLock(connection, name) : sessionLock(connection, name);
    while (!signal.aborted && !(await lock.acquire())) await sleep(RETRY_MS, signal);
    if (signal.aborted) return;
    logger.info({ leadership: name }, 'leadership acquired');
    outages.succeeded();
    const during = AbortSignal.any([signal, term.signal]);
    const parts = [holdUntilOver(lock, during, lose), work(lock.leaderOf(pool), during).finally(lose)];
    await Promise.allSettled(parts); // the next term begins when all of this one has ended
    await Promise.all(parts);
  } finally {
    connection.off('error', lose);
    connection.release(true); // ends the session or the transaction, and the lock with it
  }
}

async function holdUntilOver(lock: LeadershipLock, signal: AbortSignal, lose: () => void): Promise<void> {
  try {
    await lock.hold(signal);
  } catch (error) {
    lose();
    throw error;
  }
}

/** The lock of those who lead under one name. */
interface LeadershipLock {
  acquire(): Promise<boolean>;
  /** Resolves when the signal aborts. @throws Error when the lock is lost */
  hold(signal: AbortSignal): Promise<void>;
  leaderOf(pool: Pool): Leader;
}

/** A connection with a session of its own has the lock for as long as it lives, and writes as the leader. */
function sessionLock(connection: Transaction, name: string): LeadershipLock {
  return {
    acquire: async () => onlyRow(await queryRows(connection, sql.acquire, [lockName(name)])).acquired,
    hold: () => Promise.resolve(), // the end of the connection is an event
    leaderOf: () => ({ statements: connection, session: connection }),
  };
}

/**
 * Where a pooler shares sessions, a transaction has the lock for as long as it is open. It can't be used to write, so each
 * write is a transaction of its own, under a second lock that keeps the one of a former leader from overlapping.
 */
function transactionLock(connection: Transaction, name: string): LeadershipLock {
  return {
    acquire: async () => {
      await connection.query('BEGIN');
      const rows = await queryRows(connection, sql.acquireInTransaction, [lockName(name)]);
      if (onlyRow(rows).acquired) return true;
      await connection.query('ROLLBACK');
      return false;
    },
    hold: async (signal) => {
      while (!signal.aborted) {
        await connection.query('SELECT'); // neither the server nor the pooler ends a transaction in use
        await sleep(HEARTBEAT_MS, signal);
      }
    },
    leaderOf: (pool) => ({ statements: { query: writeAlone(pool, name) } }),
  };
}

function writeAlone(pool: Pool, name: string): Queryable['query'] {
  const query = (...statement: readonly unknown[]): Promise<unknown> =>
    inTransaction(pool, async (transaction) => {
      await execute(transaction, sql.lockWrites, [`${lockName(name)}: writes`]);
      return transaction.query(...(statement as [string]));
    });
  return query as Queryable['query'];
}

function lockName(name: string): string {
  return `trellis ${name}`;
}
