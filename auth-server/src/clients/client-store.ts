import {
  defineStatements,
  execute,
  queryRows,
  type ParametersOf,
  type Pool,
  type StatementRow,
} from '@trellis/postgres';
import { statements } from '../generated/statements.ts';
import { registeredScopes, type ClientMetadata } from './client-metadata.ts';
import { batchById } from '../batch-by-id.ts';
import { ROW_VERSION } from '../row-version.ts';

/** Who owns a client's record. */
export type ClientSource = 'file' | 'command' | 'demo' | 'administration' | 'registration';

/** A registered client. */
export interface Client {
  readonly metadata: ClientMetadata;
  /** Those that the metadata say, parsed once. */
  readonly scopes: readonly string[];
  /**
   * Which registration this is, among those that the id has had: what was given to one that was removed is not for the
   * next. Unguessable need it not be.
   */
  readonly incarnation: string;
  /** Absent for clients without a secret. */
  readonly secretHash: string | undefined;
  /** Names the key of the hash; absent where that is not known. */
  readonly secretKeyId?: string | undefined;
  readonly source: ClientSource;
  /** The secret before a rotation, which works until a moment, milliseconds since 1970. */
  readonly previousSecret?: { readonly hash: string; readonly expiresAt: number } | undefined;
  /**
   * Hashes of the token by which a client manages the registration that it has made itself, and of the one before, which works
   * until this one has been used. RFC 7592
   */
  readonly registrationToken?:
    { readonly hash: string; readonly previousHash?: string | undefined } | undefined;
  /** Another one after each change of the record; absent where it was not read from the store. */
  readonly version?: string | undefined;
}

/** Registered clients. */
export interface ClientStore {
  find(clientId: string): Promise<Client | undefined>;
  /** The version of the record at this moment; undefined where there is none. */
  findVersion(clientId: string): Promise<string | undefined>;
  list(): Promise<readonly Client[]>;
  /**
   * Registers one, or replaces it, which leaves its incarnation as it is. Nothing else adds one.
   *
   * @returns what was registered before under its id
   */
  save(client: Client): Promise<ClientMetadata | undefined>;
  /**
   * Replaces the registration that the client names by its id, incarnation and version.
   *
   * @returns what was registered before, or undefined, and does nothing, where it was changed since it was read, or is gone
   */
  replace(client: Client): Promise<ClientMetadata | undefined>;
  /** Replaces the secrets, and nothing else, of the same. @returns whether it still exists, as it was read */
  replaceSecret(client: Client): Promise<boolean>;
  /** Ends the registration token before this one, which has been used. */
  endPreviousRegistrationToken(clientId: string, tokenHash: string): Promise<void>;
  /** Hashes an unchanged secret under another key, if no one has changed it meanwhile. */
  rehashSecret(clientId: string, from: string, to: HashedSecret): Promise<void>;
  /** For `endClient` alone. @returns whether there was one */
  remove(clientId: string): Promise<boolean>;
}

/** The hash of a secret, and the name of its key. */
export interface HashedSecret {
  readonly hash: string;
  readonly keyId: string;
}

const COLUMNS = `metadata, secret_hash, source, previous_secret_hash, previous_secret_expires_at, incarnation,
  secret_key_id, registration_token_hash, previous_registration_token_hash, ${ROW_VERSION} AS version`;
const sql = defineStatements(statements, 'client-store', {
  findByIds: {
    preparedAs: 'clients-by-id',
    notNull: ['version'],
    text: `SELECT ${COLUMNS} FROM client WHERE client_id = ANY($1)`,
  },
  list: { notNull: ['version'], text: `SELECT ${COLUMNS} FROM client ORDER BY client_id` },
  upsert: `WITH known AS (SELECT metadata FROM client WHERE client_id = $1)
  INSERT INTO client
    (client_id, metadata, secret_hash, source, previous_secret_hash, previous_secret_expires_at, incarnation, secret_key_id,
    registration_token_hash, previous_registration_token_hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (client_id) DO UPDATE SET metadata = excluded.metadata, secret_hash = excluded.secret_hash,
    source = excluded.source, previous_secret_hash = excluded.previous_secret_hash,
    previous_secret_expires_at = excluded.previous_secret_expires_at, secret_key_id = excluded.secret_key_id,
    registration_token_hash = excluded.registration_token_hash,
    previous_registration_token_hash = excluded.previous_registration_token_hash, updated_at = now()
  RETURNING (SELECT metadata FROM known) AS before`,
  update: `WITH known AS (SELECT metadata FROM client WHERE client_id = $1 AND incarnation = $7 AND ${ROW_VERSION} = $11 FOR UPDATE)
  UPDATE client SET metadata = $2, secret_hash = $3, source = $4, previous_secret_hash = $5,
    previous_secret_expires_at = $6, secret_key_id = $8, registration_token_hash = $9,
    previous_registration_token_hash = $10, updated_at = now()
  FROM known WHERE client_id = $1 AND incarnation = $7
  RETURNING known.metadata AS before`,
  updateSecret: `UPDATE client SET secret_hash = $3, previous_secret_hash = $4, previous_secret_expires_at = $5,
    secret_key_id = $6, updated_at = now()
  WHERE client_id = $1 AND incarnation = $2 AND ${ROW_VERSION} = $7`,
  endPreviousToken: `UPDATE client SET previous_registration_token_hash = NULL
  WHERE client_id = $1 AND registration_token_hash = $2`,
  rehashSecret:
    'UPDATE client SET secret_hash = $3, secret_key_id = $4 WHERE client_id = $1 AND secret_hash = $2',
  remove: 'DELETE FROM client WHERE client_id = $1',
});

/** Reads the versions of clients, together with what others ask for. */
export interface ClientVersions {
  /** What changes whenever the record of a client does; undefined where there is none. */
  clientVersion(clientId: string): Promise<string | undefined>;
}

/** Clients in PostgreSQL. */
export function createClientStore(pool: Pool, versions: ClientVersions): ClientStore {
  const find = batchById(async (ids) => {
    const clients = (await queryRows(pool, sql.findByIds, [ids])).map(toClient);
    return new Map(clients.map((client) => [client.metadata.client_id, client]));
  });
  return {
    find,
    findVersion: (clientId) => versions.clientVersion(clientId),
    list: async () => (await queryRows(pool, sql.list, [])).map(toClient),
    save: async (client) => {
      const [saved] = await queryRows(pool, sql.upsert, valuesOf(client));
      return readMetadata(saved?.before);
    },
    replace: async (client) => {
      const [replaced] = await queryRows(pool, sql.update, [...valuesOf(client), client.version]);
      return readMetadata(replaced?.before);
    },
    replaceSecret: async (client) => {
      const [clientId, , hash, , previousHash, previousExpiresAt, incarnation, keyId] = valuesOf(client);
      const { version } = client;
      const parameters = [
        clientId,
        incarnation,
        hash,
        previousHash,
        previousExpiresAt,
        keyId,
        version,
      ] as const;
      return (await execute(pool, sql.updateSecret, parameters)) === 1;
    },
    endPreviousRegistrationToken: async (clientId, tokenHash) => {
      await execute(pool, sql.endPreviousToken, [clientId, toBytes(tokenHash)]);
    },
    rehashSecret: async (clientId, from, { hash, keyId }) => {
      const hashes = [Buffer.from(from, 'base64url'), Buffer.from(hash, 'base64url')] as const;
      await execute(pool, sql.rehashSecret, [clientId, ...hashes, keyId]);
    },
    remove: async (clientId) => (await execute(pool, sql.remove, [clientId])) === 1,
  };
}

function valuesOf(client: Client): ParametersOf<typeof sql.upsert.description> {
  const { metadata, secretHash, source, previousSecret, registrationToken } = client;
  return [
    metadata.client_id,
    JSON.stringify(metadata),
    toBytes(secretHash),
    source,
    toBytes(previousSecret?.hash),
    previousSecret ? new Date(previousSecret.expiresAt) : null,
    client.incarnation,
    client.secretKeyId ?? null,
    toBytes(registrationToken?.hash),
    toBytes(registrationToken?.previousHash),
  ];
}

function toBytes(hash: string | undefined): Buffer | null {
  return hash === undefined ? null : Buffer.from(hash, 'base64url');
}

function readMetadata(stored: unknown): ClientMetadata | undefined {
  return (stored ?? undefined) as ClientMetadata | undefined; // written by save and replace
}

function toClient(row: StatementRow<typeof sql.list>): Client {
  const { secret_hash: hash, source } = row;
  const metadata = row.metadata as unknown as ClientMetadata; // written by save and replace
  const { previous_secret_hash: previousHash, previous_secret_expires_at: expiresAt } = row;
  const { registration_token_hash: token, previous_registration_token_hash: previousToken } = row;
  const previousSecret =
    previousHash && expiresAt
      ? { hash: previousHash.toString('base64url'), expiresAt: expiresAt.getTime() }
      : undefined;
  return {
    metadata,
    scopes: registeredScopes(metadata),
    incarnation: row.incarnation,
    secretHash: hash?.toString('base64url'),
    secretKeyId: row.secret_key_id ?? undefined,
    source,
    previousSecret,
    registrationToken: token
      ? { hash: token.toString('base64url'), previousHash: previousToken?.toString('base64url') }
      : undefined,
    version: row.version,
  };
}
