import { inTransaction, type Pool } from '@trellis/postgres';
import type { ClientMetadata } from '../client-metadata.ts';

/** Who owns a client's record. */
export type ClientSource = 'file' | 'command' | 'demo' | 'administration' | 'registration';

/** A registered client. */
export interface Client {
  readonly metadata: ClientMetadata;
  /** Absent for clients without a secret. */
  readonly secretHash: string | undefined;
  readonly source: ClientSource;
  /** The secret before a rotation, which works until a moment, milliseconds since 1970. */
  readonly previousSecret?: { readonly hash: string; readonly expiresAt: number } | undefined;
}

/** Registered clients. */
export interface ClientStore {
  find(clientId: string): Promise<Client | undefined>;
  list(): Promise<readonly Client[]>;
  /** Registers or replaces one. */
  save(client: Client): Promise<void>;
  /** Makes the records of one source be these: others of that source are removed, others with these ids taken over. */
  synchronize(source: ClientSource, clients: readonly Client[]): Promise<void>;
  /** @returns whether there was one */
  remove(clientId: string): Promise<boolean>;
}

interface ClientRow {
  readonly metadata: ClientMetadata;
  readonly secret_hash: Buffer | null;
  readonly source: ClientSource;
  readonly previous_secret_hash: Buffer | null;
  readonly previous_secret_expires_at: Date | null;
}

const COLUMNS = 'metadata, secret_hash, source, previous_secret_hash, previous_secret_expires_at';
const UPSERT = `INSERT INTO client
    (client_id, metadata, secret_hash, source, previous_secret_hash, previous_secret_expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (client_id) DO UPDATE SET metadata = excluded.metadata, secret_hash = excluded.secret_hash,
    source = excluded.source, previous_secret_hash = excluded.previous_secret_hash,
    previous_secret_expires_at = excluded.previous_secret_expires_at, updated_at = now()`;

/** Clients in PostgreSQL. */
export function createClientStore(pool: Pool): ClientStore {
  return {
    find: async (clientId) => {
      const found = await pool.query<ClientRow>(`SELECT ${COLUMNS} FROM client WHERE client_id = $1`, [
        clientId,
      ]);
      return found.rows.map(toClient)[0];
    },
    list: async () => {
      const found = await pool.query<ClientRow>(`SELECT ${COLUMNS} FROM client ORDER BY client_id`);
      return found.rows.map(toClient);
    },
    save: async (client) => {
      await pool.query(UPSERT, valuesOf(client));
    },
    synchronize: async (source, clients) =>
      inTransaction(pool, async (connection) => {
        const ids = clients.map(({ metadata }) => metadata.client_id);
        await connection.query('DELETE FROM client WHERE source = $1 AND NOT client_id = ANY($2)', [
          source,
          ids,
        ]);
        for (const client of clients) await connection.query(UPSERT, valuesOf(client));
      }),
    remove: async (clientId) =>
      (await pool.query('DELETE FROM client WHERE client_id = $1', [clientId])).rowCount === 1,
  };
}

function valuesOf({ metadata, secretHash, source, previousSecret }: Client): unknown[] {
  const bytes = (hash: string | undefined): Buffer | null =>
    hash === undefined ? null : Buffer.from(hash, 'base64url');
  return [
    metadata.client_id,
    JSON.stringify(metadata),
    bytes(secretHash),
    source,
    bytes(previousSecret?.hash),
    previousSecret ? new Date(previousSecret.expiresAt) : null,
  ];
}

function toClient(row: ClientRow): Client {
  const { metadata, secret_hash: hash, source } = row;
  const { previous_secret_hash: previousHash, previous_secret_expires_at: expiresAt } = row;
  const previousSecret =
    previousHash && expiresAt
      ? { hash: previousHash.toString('base64url'), expiresAt: expiresAt.getTime() }
      : undefined;
  return { metadata, secretHash: hash?.toString('base64url'), source, previousSecret };
}
