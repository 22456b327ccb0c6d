import {
  defineStatements,
  execute,
  inTransaction,
  queryRows,
  type Pool,
  type Queryable,
  type StatementRow,
} from '@trellis/postgres';
import type { JWK } from 'jose';
import { statements } from '../generated/statements.ts';

/** What signs tokens here. RFC 7518 */
export type SigningAlgorithm = 'ES256' | 'RS256';

/** A signing key as it is stored; times are milliseconds since 1970. */
export interface StoredSigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly state: 'next' | 'active' | 'retired';
  readonly publicJwk: JWK;
  /** The private JWK, encrypted. */
  readonly privateJwe: string;
  readonly createdAt: number;
  readonly activatedAt: number | undefined;
  readonly retiredAt: number | undefined;
  /** Since when it waits to be replaced by a key that has not been published long enough. */
  readonly rotationRequestedAt: number | undefined;
}

/** A new key. */
export type NewSigningKey = Pick<StoredSigningKey, 'kid' | 'algorithm' | 'publicJwk' | 'privateJwe'>;

/** The work of one instance at a time on all keys. */
export interface SigningKeyChange {
  list(): Promise<readonly StoredSigningKey[]>;
  add(key: NewSigningKey, state: 'next' | 'active', now: number): Promise<void>;
  activate(kid: string, now: number): Promise<void>;
  retire(kid: string, now: number): Promise<void>;
  /** Has a key replaced as soon as the next one may sign. */
  requestRotation(kid: string, now: number): Promise<void>;
  remove(kid: string): Promise<void>;
  /** Replaces the encrypted private key by the same one, encrypted in another way. */
  reencrypt(kid: string, privateJwe: string): Promise<void>;
}

/** Signing keys. */
export interface SigningKeyStore {
  list(): Promise<readonly StoredSigningKey[]>;
  /** Runs `work` while no other instance changes keys; all of it happens or nothing. */
  change<Result>(work: (change: SigningKeyChange) => Promise<Result>): Promise<Result>;
}

const sql = defineStatements(statements, 'signing-key-store', {
  lock: "SELECT pg_advisory_xact_lock(hashtextextended('trellis-signing-keys', 0))",
  list: 'SELECT * FROM signing_key ORDER BY created_at, kid',
  add: `INSERT INTO signing_key (kid, algorithm, state, public_jwk, private_jwe, created_at, activated_at)
    VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $3 = 'active' THEN $6::timestamptz END)`,
  activate: "UPDATE signing_key SET state = 'active', activated_at = $2 WHERE kid = $1",
  retire: "UPDATE signing_key SET state = 'retired', retired_at = $2 WHERE kid = $1",
  requestRotation: 'UPDATE signing_key SET rotation_requested_at = $2 WHERE kid = $1',
  reencrypt: 'UPDATE signing_key SET private_jwe = $2 WHERE kid = $1',
  remove: 'DELETE FROM signing_key WHERE kid = $1',
});

/** Signing keys in PostgreSQL. */
export function createSigningKeyStore(pool: Pool): SigningKeyStore {
  return {
    list: () => listKeys(pool),
    change: (work) =>
      inTransaction(pool, async (connection) => {
        await execute(connection, sql.lock, []);
        return work(changeOf(connection));
      }),
  };
}

async function listKeys(queryable: Queryable): Promise<readonly StoredSigningKey[]> {
  return (await queryRows(queryable, sql.list, [])).map(toKey);
}

function changeOf(queryable: Queryable): SigningKeyChange {
  return {
    list: () => listKeys(queryable),
    add: async (key, state, now) => {
      const { kid, algorithm, publicJwk, privateJwe } = key;
      const parameters = [
        kid,
        algorithm,
        state,
        JSON.stringify(publicJwk),
        privateJwe,
        new Date(now),
      ] as const;
      await execute(queryable, sql.add, parameters);
    },
    activate: async (kid, now) => {
      await execute(queryable, sql.activate, [kid, new Date(now)]);
    },
    retire: async (kid, now) => {
      await execute(queryable, sql.retire, [kid, new Date(now)]);
    },
    requestRotation: async (kid, now) => {
      await execute(queryable, sql.requestRotation, [kid, new Date(now)]);
    },
    reencrypt: async (kid, privateJwe) => {
      await execute(queryable, sql.reencrypt, [kid, privateJwe]);
    },
    remove: async (kid) => {
      await execute(queryable, sql.remove, [kid]);
    },
  };
}

function toKey(row: StatementRow<typeof sql.list>): StoredSigningKey {
  return {
    kid: row.kid,
    algorithm: row.algorithm,
    state: row.state,
    publicJwk: row.public_jwk as JWK, // written by add
    privateJwe: row.private_jwe,
    createdAt: row.created_at.getTime(),
    activatedAt: row.activated_at?.getTime(),
    retiredAt: row.retired_at?.getTime(),
    rotationRequestedAt: row.rotation_requested_at?.getTime(),
  };
}
