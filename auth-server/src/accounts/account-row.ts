import type { Account, Role } from './accounts.ts';

/** A row of the table of accounts. */
export interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly role: Role;
  readonly password_hash: string;
  readonly claims: unknown;
  readonly disabled_at: Date | null;
  readonly credentials_changed_at: Date;
  readonly updated_at: Date;
}

/** The columns of {@link AccountRow}. */
export const ACCOUNT_COLUMNS = `id, email, email_verified, name, role, password_hash, claims, disabled_at,
  credentials_changed_at, updated_at`;

/** An account as it is stored; undefined for no row. */
export function toAccount(row: AccountRow | undefined): Account | undefined {
  if (!row) return undefined;
  return {
    id: row.id,
    email: row.email,
    emailVerified: row.email_verified,
    name: row.name,
    role: row.role,
    passwordHash: row.password_hash,
    claims: row.claims as Account['claims'], // checked before it is stored
    disabled: row.disabled_at !== null,
    credentialsChangedAt: row.credentials_changed_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
