import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';

const sql = defineStatements(statements, 'consent-store', {
  find: 'SELECT scopes FROM consent WHERE account_id = $1 AND client_id = $2 AND client_incarnation = $3',
  list: `SELECT client_id AS "clientId", client_incarnation AS incarnation, scopes
    FROM consent WHERE account_id = $1 ORDER BY updated_at DESC`,
  remove: 'DELETE FROM consent WHERE account_id = $1 AND client_id = $2',
  removeOfClient: 'DELETE FROM consent WHERE client_id = $1',
  allow: `INSERT INTO consent (account_id, client_id, scopes, client_incarnation) VALUES ($1, $2, $3, $4)
    ON CONFLICT (account_id, client_id) DO UPDATE SET updated_at = now(),
      client_incarnation = excluded.client_incarnation,
      scopes = CASE WHEN consent.client_incarnation = excluded.client_incarnation
        THEN ARRAY(SELECT DISTINCT unnest(consent.scopes || excluded.scopes) ORDER BY 1)
        ELSE excluded.scopes END`,
});

/** One registration of a client: what was allowed to one that was removed is not for the next of its id. */
export interface ClientIncarnation {
  readonly clientId: string;
  readonly incarnation: string;
}

/** What a user has allowed a client. */
export interface Consent extends ClientIncarnation {
  readonly scopes: readonly string[];
}

/** What users have allowed clients. */
export interface ConsentStore {
  /** The scopes allowed so far; empty when nothing was. */
  find(accountId: string, clientId: string, incarnation: string): Promise<readonly string[]>;
  /** Everything that a user has allowed, latest first. */
  list(accountId: string): Promise<readonly Consent[]>;
  remove(accountId: string, clientId: string): Promise<void>;
  /** Forgets what anybody has allowed a client. */
  removeOfClient(clientId: string): Promise<void>;
  /** Adds scopes to those allowed. */
  allow(accountId: string, client: ClientIncarnation, scopes: readonly string[]): Promise<void>;
}

/** Consents in PostgreSQL. */
export function createConsentStore(pool: Pool): ConsentStore {
  return {
    find: async (accountId, clientId, incarnation) => {
      const [found] = await queryRows(pool, sql.find, [accountId, clientId, incarnation]);
      return found?.scopes ?? [];
    },
    list: (accountId) => queryRows(pool, sql.list, [accountId]),
    remove: async (accountId, clientId) => {
      await execute(pool, sql.remove, [accountId, clientId]);
    },
    removeOfClient: async (clientId) => {
      await execute(pool, sql.removeOfClient, [clientId]);
    },
    allow: async (accountId, { clientId, incarnation }, scopes) => {
      await execute(pool, sql.allow, [accountId, clientId, scopes, incarnation]);
    },
  };
}
