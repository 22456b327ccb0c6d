import type { Pool } from '@trellis/postgres';

/** What a person has allowed a client. */
export interface Consent {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** What people have allowed clients. */
export interface ConsentStore {
  /** The scopes allowed so far; empty when nothing was. */
  find(accountId: string, clientId: string): Promise<readonly string[]>;
  /** Everything that a person has allowed, latest first. */
  list(accountId: string): Promise<readonly Consent[]>;
  remove(accountId: string, clientId: string): Promise<void>;
  /** Adds scopes to those allowed. */
  allow(accountId: string, clientId: string, scopes: readonly string[]): Promise<void>;
}

/** Consents in PostgreSQL. */
export function createConsentStore(pool: Pool): ConsentStore {
  return {
    find: async (accountId, clientId) => {
      const found = await pool.query<{ scopes: string[] }>(
        'SELECT scopes FROM consent WHERE account_id = $1 AND client_id = $2',
        [accountId, clientId],
      );
      return found.rows[0]?.scopes ?? [];
    },
    list: async (accountId) => {
      const found = await pool.query<{ client_id: string; scopes: string[] }>(
        'SELECT client_id, scopes FROM consent WHERE account_id = $1 ORDER BY updated_at DESC',
        [accountId],
      );
      return found.rows.map(({ client_id: clientId, scopes }) => ({ clientId, scopes }));
    },
    remove: async (accountId, clientId) => {
      await pool.query('DELETE FROM consent WHERE account_id = $1 AND client_id = $2', [accountId, clientId]);
    },
    allow: async (accountId, clientId, scopes) => {
      await pool.query(
        `INSERT INTO consent (account_id, client_id, scopes) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, client_id) DO UPDATE SET updated_at = now(),
           scopes = ARRAY(SELECT DISTINCT unnest(consent.scopes || excluded.scopes) ORDER BY 1)`,
        [accountId, clientId, scopes],
      );
    },
  };
}
