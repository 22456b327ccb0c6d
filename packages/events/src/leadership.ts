import type { Logger } from '@trellis/runtime';
import { createOutageLog, type OutageLog } from '@trellis/runtime/outage-log';
import { defineStatements, onlyRow, queryRows, type Pool, type Transaction } from '@trellis/postgres';
import { statements } from './generated/statements.ts';
import { isTransientFailure } from './is-transient-failure.ts';
import { sleep } from './wake-up.ts';

/** Work that one process does at a time, however many run. */
export interface LeadershipOptions {
  /** Keeps one of its connections for as long as the process leads or waits to. */
  readonly pool: Pool;
  /** What is led, for example `relay of posts`. */
  readonly name: string;
  readonly logger: Logger;
  /**
   * Runs until aborted. It must write by the leader's own connection, or guard its writes otherwise: the lock is gone with the
   * connection, and another process may lead from then on.
   */
  readonly work: (connection: Transaction, signal: AbortSignal) => Promise<void>;
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
});

const RETRY_MS = 1_000;

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

/** One connection's worth: waits for the lock, leads, and gives the connection up. */
async function serveTerm(
  { pool, name, work, logger }: LeadershipOptions,
  outages: OutageLog,
  signal: AbortSignal,
): Promise<void> {
  const connection = await pool.connect();
  const term = new AbortController();
  const lose = (): void => term.abort();
  connection.on('error', lose);
  try {
    while (!signal.aborted && !(await acquire(connection, name))) await sleep(RETRY_MS, signal);
    if (signal.aborted) return;
    logger.info({ leadership: name }, 'leads');
    outages.succeeded();
    await work(connection, AbortSignal.any([signal, term.signal]));
  } finally {
    connection.off('error', lose);
    connection.release(true); // ends the session, and the lock with it
  }
}

async function acquire(connection: Transaction, name: string): Promise<boolean> {
  return onlyRow(await queryRows(connection, sql.acquire, [`trellis ${name}`])).acquired;
}
