import type { Pool } from '@trellis/postgres';

/** One registration of a client: what was allowed to one that was removed is not for the next of its id. */
export interface ClientIncarnation {
  readonly clientId: string;
  readonly incarnation: string;
}

/** What a person has allowed a client. */
export interface Consent extends ClientIncarnation {
  readonly scopes: readonly string[];
}

/** What people have allowed clients. */
export interface ConsentStore {
  /** The scopes allowed so far; empty when nothing was. */
  find(accountId: string, clientId: string, incarnation: string): Promise<readonly string[]>;
  /** Everything that a person has allowed, latest first. */
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
      const found = await pool.query<{ scopes: string[] }>(
        'SELECT scopes FROM consent WHERE account_id = $1 AND client_id = $2 AND client_incarnation = $3',
        [accountId, clientId, incarnation],
      );
      return found.rows[0]?.scopes ?? [];
    },
    list: async (accountId) => {
      const found = await pool.query<{ client_id: string; client_incarnation: string; scopes: string[] }>(
        'SELECT client_id, client_incarnation, scopes FROM consent WHERE account_id = $1 ORDER BY updated_at DESC',
        [accountId],
      );
      return found.rows.map(({ client_id: clientId, client_incarnation: incarnation, scopes }) => ({
        clientId,
        incarnation,
        scopes,
      }));
    },
    remove: async (accountId, clientId) => {
      await pool.query('DELETE FROM consent WHERE account_id = $1 AND client_id = $2', [accountId, clientId]);
    },
    removeOfClient: async (clientId) => {
      await pool.query('DELETE FROM consent WHERE client_id = $1', [clientId]);
    },
    allow: async (accountId, { clientId, incarnation }, scopes) => {
      await pool.query(
        `INSERT INTO consent (account_id, client_id, scopes, client_incarnation) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, client_id) DO UPDATE SET updated_at = now(),
           client_incarnation = excluded.client_incarnation,
           scopes = CASE WHEN consent.client_incarnation = excluded.client_incarnation
             THEN ARRAY(SELECT DISTINCT unnest(consent.scopes || excluded.scopes) ORDER BY 1)
             ELSE excluded.scopes END`,
        [accountId, clientId, scopes, incarnation],
      );
    },
  };
}
