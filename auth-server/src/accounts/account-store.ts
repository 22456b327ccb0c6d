import {
  defineStatements,
  execute,
  inTransaction,
  queryRows,
  type ParametersOf,
  type Pool,
  type Queryable,
} from '@trellis/postgres';
import type { Account, AccountToday, Role } from './accounts.ts';
import { batchById } from '../batch-by-id.ts';
import { canonicalEmail } from './canonical-email.ts';
import { statements } from '../generated/statements.ts';
import { ACCOUNT_COLUMNS, toAccount } from './account-row.ts';
import { createReaderOfToday, type ReaderOfToday } from './reader-of-today.ts';

/** What a new account needs. */
export interface NewAccount {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
}

/** What may change; what is absent stays. */
export interface AccountChanges {
  readonly name?: string | undefined;
  /** Verified before each change. */
  readonly email?: string | undefined;
  readonly role?: Role | undefined;
  /** All further claims, which take the place of those before. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** Accounts. */
export interface AccountStore {
  findById(id: string): Promise<Account | undefined>;
  /** What tokens need of it, read together with what else they need. */
  findToday(id: string): Promise<AccountToday | undefined>;
  /** However it is spelled. */
  findByEmail(email: string): Promise<Account | undefined>;
  /** @returns false when the address is taken */
  add(account: NewAccount): Promise<boolean>;
  /** Adds accounts to a table that has none. @returns whether it was empty */
  seed(accounts: readonly NewAccount[]): Promise<boolean>;
  /** In the order of their ids. @param after the id that the page before ended with @param text in their address or name */
  list(limit: number, after?: string, text?: string): Promise<readonly Account[]>;
  /**
   * @returns the account as it was and as it is now, or undefined when there is none that is so, or `taken` when the address is
   * @throws LastAdministrator instead of leaving none
   */
  update(
    id: string,
    changes: AccountChanges,
    conditions?: UpdateConditions,
  ): Promise<AccountUpdate | 'taken' | undefined>;
  /** @throws LastAdministrator instead of leaving none */
  setDisabled(id: string, disabled: boolean): Promise<void>;
  /**
   * Sessions and grants from before `now` (milliseconds since 1970) are not honoured any more.
   *
   * @returns false, and does nothing, for a disabled account and one that has another address, role or password than is known
   */
  setPassword(id: string, passwordHash: string, now: number, known: CredentialsState): Promise<boolean>;
  /** Removes an account with all that hangs on its row. @throws LastAdministrator instead of leaving none @returns whether there was one */
  remove(id: string): Promise<boolean>;
  /** Replaces the hash of an unchanged password by one with current parameters. */
  rehash(id: string, from: string, to: string): Promise<void>;
}

/** What a change depends on. Both are asked while no one else can change the account. */
export interface UpdateConditions {
  /** Whether it is as the caller has seen it. @default always */
  readonly isStill?: ((account: Account) => boolean) | undefined;
  /** What has to be done with it: where it fails, nothing is changed. @default nothing */
  readonly beforeCommit?: ((update: AccountUpdate) => Promise<void>) | undefined;
}

/** A change of an account. */
export interface AccountUpdate {
  readonly before: Account;
  readonly after: Account;
}

/** What a new password takes the place of. */
export interface CredentialsState {
  readonly email: string;
  readonly role: Role;
  /** Milliseconds since 1970. */
  readonly credentialsChangedAt: number;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const sql = defineStatements(statements, 'account-store', {
  insert: `INSERT INTO account (id, email, email_verified, name, role, password_hash, canonical_email)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
  /** An account of an earlier version has no canonical address until the start has written it, or when another one has it. */
  findByEmail: `SELECT ${ACCOUNT_COLUMNS} FROM account
  WHERE canonical_email = $1 OR (canonical_email IS NULL AND lower(email) = lower($2))
  ORDER BY canonical_email NULLS FIRST LIMIT 1`,
  findByIds: {
    preparedAs: 'accounts-by-id',
    text: `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE id = ANY($1::uuid[])`,
  },
  isEmpty: { notNull: ['empty'], text: 'SELECT NOT EXISTS (SELECT FROM account) AS empty' },
  list: `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE ($2::uuid IS NULL OR id > $2)
    AND ($3::text IS NULL OR strpos(lower(email), lower($3)) > 0 OR strpos(lower(name), lower($3)) > 0)
  ORDER BY id LIMIT $1`,
  setDisabled: `UPDATE account
    SET disabled_at = CASE WHEN $2 THEN coalesce(disabled_at, now()) END, updated_at = now() WHERE id = $1`,
  setPassword: `UPDATE account SET password_hash = $2, credentials_changed_at = $3
    WHERE id = $1 AND email = $4 AND role = $6 AND credentials_changed_at = $5 AND disabled_at IS NULL`,
  remove: 'DELETE FROM account WHERE id = $1',
  rehash: 'UPDATE account SET password_hash = $3 WHERE id = $1 AND password_hash = $2',
  lock: `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE id = $1 FOR UPDATE`,
  update: `UPDATE account SET name = coalesce($2, name), role = coalesce($3, role), claims = coalesce($4, claims),
      email = coalesce($5, email), canonical_email = coalesce($6, canonical_email),
      email_verified = email_verified OR $5::text IS NOT NULL, updated_at = now()
    WHERE id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
  lockAdministrators: "SELECT pg_advisory_xact_lock(hashtextextended('trellis auth: administrators', 0))",
  findAdministrators:
    "SELECT id FROM account WHERE role = 'ADMIN' AND disabled_at IS NULL ORDER BY id = $1 DESC LIMIT 2",
});

/** Accounts in PostgreSQL. @param today reads them by id, together with what others ask for */
export function createAccountStore(
  pool: Pool,
  today: ReaderOfToday = createReaderOfToday(pool),
): AccountStore {
  const findById = batchById(async (ids) => {
    const rows = await queryRows(pool, sql.findByIds, [ids]);
    return new Map(rows.flatMap((row) => toAccount(row) ?? []).map((account) => [account.id, account]));
  });
  return {
    // PostgreSQL spells ids in lower case.
    findById: async (id) => (UUID.test(id) ? findById(id.toLowerCase()) : undefined),
    findToday: (id) => (UUID.test(id) ? today.account(id.toLowerCase()) : Promise.resolve(undefined)),
    findByEmail: async (email) => {
      const [found] = await queryRows(pool, sql.findByEmail, [canonicalEmail(email), email]);
      return toAccount(found);
    },
    add: async (account) => (await execute(pool, sql.insert, valuesOf(account))) === 1,
    seed: async (accounts) => {
      const [found] = await queryRows(pool, sql.isEmpty, []);
      if (found?.empty !== true) return false;
      for (const account of accounts) await execute(pool, sql.insert, valuesOf(account));
      return true;
    },
    list: async (limit, after, text) => {
      const found = await queryRows(pool, sql.list, [limit, after, text]);
      return found.flatMap((row) => toAccount(row) ?? []);
    },
    update: async (id, changes, conditions = {}) => {
      if (!UUID.test(id)) return undefined;
      try {
        return await inTransaction(pool, (connection) => updateLocked(connection, id, changes, conditions));
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken';
        throw error;
      }
    },
    remove: async (id) => {
      if (!UUID.test(id)) return false;
      return inTransaction(pool, async (connection) => {
        await keepAnAdministrator(connection, id);
        return (await execute(connection, sql.remove, [id])) === 1;
      });
    },
    setDisabled: (id, disabled) =>
      inTransaction(pool, async (connection) => {
        if (disabled) await keepAnAdministrator(connection, id);
        await execute(connection, sql.setDisabled, [id, disabled]);
      }),
    setPassword: async (id, passwordHash, now, known) => {
      const { email, role } = known;
      const [changedAt, knownChangedAt] = [new Date(now), new Date(known.credentialsChangedAt)];
      const parameters = [id, passwordHash, changedAt, email, knownChangedAt, role] as const;
      return (await execute(pool, sql.setPassword, parameters)) === 1;
    },
    rehash: async (id, from, to) => {
      await execute(pool, sql.rehash, [id, from, to]);
    },
  };
}

async function updateLocked(
  connection: Queryable,
  id: string,
  { name, email, role, claims }: AccountChanges,
  { isStill = () => true, beforeCommit }: UpdateConditions,
): Promise<AccountUpdate | undefined> {
  if (role !== undefined && role !== 'ADMIN') await keepAnAdministrator(connection, id);
  const [known] = await queryRows(connection, sql.lock, [id]);
  const before = toAccount(known);
  if (!before || !isStill(before)) return undefined;
  const [updated] = await queryRows(connection, sql.update, [
    id,
    name,
    role,
    claims === undefined ? undefined : JSON.stringify(claims),
    email,
    email === undefined ? undefined : canonicalEmail(email),
  ]);
  const after = toAccount(updated);
  if (!after) return undefined;
  await beforeCommit?.({ before, after });
  return { before, after };
}

/**
 * Sees that someone else can administer when this account can't any more. Those who give up their role at the same time wait
 * for one another.
 *
 * @throws LastAdministrator
 */
async function keepAnAdministrator(connection: Queryable, id: string): Promise<void> {
  await execute(connection, sql.lockAdministrators, []);
  const [first, second] = await queryRows(connection, sql.findAdministrators, [id]);
  if (first?.id === id && second === undefined) throw new LastAdministrator();
}

/** Without this account no one could administer any more. */
export class LastAdministrator extends Error {
  override readonly name = 'LastAdministrator';

  constructor() {
    super('This is the last administrator. Make another one first.');
  }
}

/** Class 23505 of PostgreSQL. */
function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

function valuesOf(account: NewAccount): ParametersOf<typeof sql.insert.description> {
  const { id, email, emailVerified, name, role, passwordHash } = account;
  return [id, email, emailVerified, name, role, passwordHash, canonicalEmail(email)];
}
