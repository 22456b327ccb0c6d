import type { Pool } from '@trellis/postgres';

/** What people have allowed clients. */
export interface ConsentStore {
  /** The scopes allowed so far; empty when nothing was. */
  find(accountId: string, clientId: string): Promise<readonly string[]>;
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
