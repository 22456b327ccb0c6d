import type { TokenCaller } from '@trellis/gateway/token-authentication';
import type { Pool } from '@trellis/postgres';
import type { LogName } from '@trellis/registry';

/** Something that was asked of a registry, and what came of it. */
export interface AuditedAction {
  readonly caller: TokenCaller | undefined;
  readonly action: 'publish' | 'promote' | 'rollback';
  readonly log: LogName;
  readonly subgraphs: readonly string[];
  /** `published`, `rejected`, or the code of an error. */
  readonly outcome: string;
  readonly sequence: number | undefined;
}

/** Writes a row for an action that changes a log, or was meant to. */
export async function writeAuditRow(pool: Pool, one: AuditedAction): Promise<void> {
  const { caller, action, log, subgraphs, outcome, sequence } = one;
  await pool.query(
    'INSERT INTO audit (client_id, subject, action, graph, environment, subgraphs, outcome, sequence) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
    [caller?.clientId, caller?.subject, action, log.graph, log.environment, subgraphs, outcome, sequence],
  );
}
