import { defineStatements, queryRows, type Pool } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';

const sql = defineStatements(statements, 'identity-store', {
  find: {
    notNull: ['accountId'],
    text: 'SELECT account_id::text AS "accountId" FROM identity WHERE issuer = $1 AND subject = $2',
  },
  list: 'SELECT issuer, subject FROM identity WHERE account_id = $1 ORDER BY issuer, subject',
  link: {
    notNull: ['accountId'],
    text: `INSERT INTO identity (issuer, subject, account_id) VALUES ($1, $2, $3)
    ON CONFLICT (issuer, subject) DO UPDATE SET account_id = identity.account_id
    RETURNING account_id::text AS "accountId"`,
  },
  unlink: {
    notNull: ['accountId'],
    text: 'DELETE FROM identity WHERE issuer = $1 AND subject = $2 RETURNING account_id::text AS "accountId"',
  },
});

/** A user as a trusted issuer names them. */
export interface Identity {
  readonly issuer: string;
  /** The claim `sub` of its tokens. */
  readonly subject: string;
}

/** Which accounts the users of trusted issuers have. */
export interface IdentityStore {
  /** @returns the id of the account */
  find(identity: Identity): Promise<string | undefined>;
  list(accountId: string): Promise<readonly Identity[]>;
  /** Links an identity that no account has. @returns whose it is now: the one of before, where there was one */
  link(identity: Identity, accountId: string): Promise<string>;
  /** @returns whose it was */
  unlink(identity: Identity): Promise<string | undefined>;
}

/** Identities in PostgreSQL. */
export function createIdentityStore(pool: Pool): IdentityStore {
  return {
    find: async ({ issuer, subject }) => {
      const [found] = await queryRows(pool, sql.find, [issuer, subject]);
      return found?.accountId;
    },
    list: (accountId) => queryRows(pool, sql.list, [accountId]),
    link: async ({ issuer, subject }, accountId) => {
      const [linked] = await queryRows(pool, sql.link, [issuer, subject, accountId]);
      return linked?.accountId ?? accountId;
    },
    unlink: async ({ issuer, subject }) => {
      const [unlinked] = await queryRows(pool, sql.unlink, [issuer, subject]);
      return unlinked?.accountId;
    },
  };
}
