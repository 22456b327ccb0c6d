import type { Pool } from '@trellis/postgres';
import type { Account, Role } from '../accounts.ts';

/** What a new account needs. */
export interface NewAccount {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
}

/** Accounts. */
export interface AccountStore {
  findById(id: string): Promise<Account | undefined>;
  /** Upper and lower case are the same. */
  findByEmail(email: string): Promise<Account | undefined>;
  /** @returns false when the address is taken */
  add(account: NewAccount): Promise<boolean>;
  /** Adds accounts to a table that has none. @returns whether it was empty */
  seed(accounts: readonly NewAccount[]): Promise<boolean>;
  /** @returns the account's id, or undefined when there is none */
  disable(email: string): Promise<string | undefined>;
  /** Replaces the hash of an unchanged password by one with current parameters. */
  rehash(id: string, passwordHash: string): Promise<void>;
}

interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly role: Role;
  readonly password_hash: string;
  readonly claims: Record<string, unknown>;
  readonly disabled_at: Date | null;
  readonly credentials_changed_at: Date;
  readonly updated_at: Date;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const COLUMNS = `id, email, email_verified, name, role, password_hash, claims, disabled_at, credentials_changed_at,
  updated_at`;
const INSERT = `INSERT INTO account (id, email, email_verified, name, role, password_hash)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`;

/** Accounts in PostgreSQL. */
export function createAccountStore(pool: Pool): AccountStore {
  return {
    findById: async (id) => {
      if (!UUID.test(id)) return undefined;
      const found = await pool.query<AccountRow>({
        name: 'account-by-id',
        text: `SELECT ${COLUMNS} FROM account WHERE id = $1`,
        values: [id],
      });
      return toAccount(found.rows[0]);
    },
    findByEmail: async (email) => {
      const found = await pool.query<AccountRow>(
        `SELECT ${COLUMNS} FROM account WHERE lower(email) = lower($1)`,
        [email],
      );
      return toAccount(found.rows[0]);
    },
    add: async (account) => (await pool.query(INSERT, valuesOf(account))).rowCount === 1,
    seed: async (accounts) => {
      const { rows } = await pool.query<{ empty: boolean }>(
        'SELECT NOT EXISTS (SELECT FROM account) AS empty',
      );
      if (rows[0]?.empty !== true) return false;
      for (const account of accounts) await pool.query(INSERT, valuesOf(account));
      return true;
    },
    disable: async (email) => {
      const disabled = await pool.query<{ id: string }>(
        `UPDATE account SET disabled_at = coalesce(disabled_at, now()), updated_at = now()
         WHERE lower(email) = lower($1) RETURNING id`,
        [email],
      );
      return disabled.rows[0]?.id;
    },
    rehash: async (id, passwordHash) => {
      await pool.query('UPDATE account SET password_hash = $2 WHERE id = $1', [id, passwordHash]);
    },
  };
}

function valuesOf(account: NewAccount): unknown[] {
  return [account.id, account.email, account.emailVerified, account.name, account.role, account.passwordHash];
}

function toAccount(row: AccountRow | undefined): Account | undefined {
  if (!row) return undefined;
  return {
    id: row.id,
    email: row.email,
    emailVerified: row.email_verified,
    name: row.name,
    role: row.role,
    passwordHash: row.password_hash,
    claims: row.claims,
    disabled: row.disabled_at !== null,
    credentialsChangedAt: row.credentials_changed_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
