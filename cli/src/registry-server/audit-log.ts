import type { TokenCaller } from '@trellis/gateway/token-authentication';
import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import type { LogName } from '@trellis/registry';
import { statements } from '../generated/statements.ts';
import { registryLimits } from './registry-limits.ts';

/** Who asked a registry for what. */
export interface AuditedAction {
  readonly caller: TokenCaller | undefined;
  readonly action: 'publish' | 'promote' | 'rollback' | 'variant' | 'keys' | 'abort' | 'gc';
  /** Of which environment, or {@link ALL_LOGS}. */
  readonly log: LogName;
  readonly subgraphs: readonly string[];
  /** @default none */
  readonly contracts?: readonly string[] | undefined;
}

/** What is of the whole registry. No log has such a name. */
export const ALL_LOGS: LogName = Object.freeze({ graph: '*', environment: '*' });

/** So many attempts of a client that changed nothing stay: the newest. */
const MAX_ATTEMPTS: number = registryLimits.attemptsOfClient.amount;
/** An attempt names so many subgraphs; of the others it says how many they are. */
const MAX_NAMED = 20;
/** Old ones are looked for once in so many. */
const TRIM_EACH = 100;

const COLUMNS = 'client_id, subject, action, graph, environment, subgraphs, contracts, outcome, sequence';

const sql = defineStatements(statements, 'audit-log', {
  // One statement: neither row exists without the other.
  create: `WITH created AS (
      INSERT INTO record (graph, environment, sequence, jws) VALUES ($4, $5, $9, $10) ON CONFLICT DO NOTHING RETURNING 1
    ) INSERT INTO audit (${COLUMNS}) SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM created`,
  writeAttempt: `INSERT INTO audit (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL) RETURNING id`,
  trimAttempts: `DELETE FROM audit WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY coalesce(client_id, subject) ORDER BY id DESC) AS place
          FROM audit WHERE sequence IS NULL
      ) AS attempt WHERE place > $1)`,
});

/** What each action is called once it has happened. */
const DONE: Readonly<Record<AuditedAction['action'], string>> = {
  publish: 'published',
  promote: 'promote',
  rollback: 'rollback',
  variant: 'canary',
  keys: 'keys',
  abort: 'abort',
  gc: 'collected',
};

/**
 * Creates a record, and the row that says whose it is: neither exists without the other.
 *
 * @returns whether the record was created
 */
export async function createAudited(
  pool: Pool,
  one: AuditedAction,
  sequence: number,
  jws: string,
): Promise<boolean> {
  const { caller, action, log, subgraphs, contracts = [] } = one;
  const created = await execute(pool, sql.create, [
    caller?.clientId,
    caller?.subject,
    action,
    log.graph,
    log.environment,
    subgraphs,
    contracts,
    DONE[action],
    sequence,
    jws,
  ]);
  return created === 1;
}

/**
 * Writes a row for an attempt that changed nothing, with the first 20 of its subgraphs and of its contracts. Of those, the newest 1,000 of each client stay.
 *
 * @param outcome `rejected`, `already-published` or the code of an error
 */
export async function writeAttempt(pool: Pool, one: AuditedAction, outcome: string): Promise<void> {
  const { caller, action, log, subgraphs, contracts = [] } = one;
  const [written] = await queryRows(pool, sql.writeAttempt, [
    caller?.clientId,
    caller?.subject,
    action,
    log.graph,
    log.environment,
    named(subgraphs),
    named(contracts),
    outcome,
  ]);
  if (Number(written?.id ?? 0) % TRIM_EACH === 0) await trimAttempts(pool);
}

/** Deletes the oldest attempts of each client, so that none pushes out what others did. @param most how many stay. @default 1,000 */
export async function trimAttempts(pool: Pool, most: number = MAX_ATTEMPTS): Promise<void> {
  await execute(pool, sql.trimAttempts, [most]);
}

function named(names: readonly string[]): readonly string[] {
  const more = names.length - MAX_NAMED;
  return more > 0 ? [...names.slice(0, MAX_NAMED), `and ${more} more`] : names;
}
