import {
  defineStatements,
  execute,
  inTransaction,
  onlyRow,
  queryRows,
  type Pool,
  type Transaction,
} from '@trellis/postgres';
import type { Page } from '@trellis/subgraph-kit';
import { statements } from './generated/statements.ts';
import type { ProfilePlace } from './profile-cursor.ts';
import { publishSaved } from './publish-profile.ts';
import type { Claims, Profile } from './profile.ts';

/** A page by offset. */
export interface OffsetPage {
  readonly limit: number;
  readonly offset: number;
}

/** All that the database knows about profiles. */
export interface ProfileStore {
  /** @returns those that exist, in no order */
  findByIds(ids: readonly string[]): Promise<readonly Profile[]>;
  /** The oldest with this address. @returns nothing when there is none */
  findByEmail(email: string): Promise<Profile | undefined>;
  /** Oldest first. */
  list(page: OffsetPage): Promise<readonly Profile[]>;
  /** Oldest first; of a page that goes backward, the newest first. */
  listPage(page: Page<ProfilePlace>): Promise<readonly Profile[]>;
  /**
   * Makes the profile, or lets it follow a token. A newer token overwrites; an older one fills only what
   * is still empty. One atomic statement, which writes nothing when there is nothing new. Publishes a new name.
   */
  follow(claims: Claims): Promise<void>;
  /** Makes a profile that no token has touched, and publishes it. */
  create(transaction: Transaction, profile: Profile): Promise<Profile>;
  /** All profiles in the order of their ids: for other services. */
  scan(after: string | null, limit: number): Promise<readonly Profile[]>;
  /** Fills an empty table; leaves any other as it is. */
  seed(profiles: readonly Profile[]): Promise<void>;
}

const COLUMNS = 'id, name, email, role, created_at AS "createdAt"';

/** Before any profile, and after any: timestamps that JavaScript and PostgreSQL both know. */
const BEGINNING: ProfilePlace = { createdAt: new Date(0), id: '00000000-0000-0000-0000-000000000000' };
const END: ProfilePlace = {
  createdAt: new Date('9999-12-31T00:00:00Z'),
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/** The oldest first, or, for a page that goes backward, the newest. */
function listPage(direction: 'ASC' | 'DESC'): string {
  return `
  SELECT ${COLUMNS} FROM profile
  WHERE (created_at, id) > ($1, $2) AND (created_at, id) < ($3, $4)
  ORDER BY created_at ${direction}, id ${direction} LIMIT $5`;
}

const sql = defineStatements(statements, 'profile-store', {
  findByIds: `SELECT ${COLUMNS} FROM profile WHERE id = ANY($1::uuid[])`,

  findByEmail: `SELECT ${COLUMNS} FROM profile WHERE email = $1 ORDER BY created_at, id LIMIT 1`,

  // The page is found in the index alone; only its rows are read from the table.
  list: `
  SELECT ${COLUMNS}
  FROM (SELECT id FROM profile ORDER BY created_at, id LIMIT $1 OFFSET $2) AS page
  JOIN profile USING (id)
  ORDER BY created_at, id`,

  listPage: listPage('ASC'),
  listPageBackward: listPage('DESC'),

  follow: {
    notNull: ['id'],
    text: `
  WITH before AS (SELECT name FROM profile WHERE id = $1), written AS (
  INSERT INTO profile AS stored (id, name, email, role, created_at, token_issued_at)
  VALUES ($1, $2, $3, $4, now(), $5)
  ON CONFLICT (id) DO UPDATE SET
    name = CASE WHEN excluded.token_issued_at > stored.token_issued_at
      THEN coalesce(excluded.name, stored.name) ELSE coalesce(stored.name, excluded.name) END,
    email = CASE WHEN excluded.token_issued_at > stored.token_issued_at
      THEN coalesce(excluded.email, stored.email) ELSE coalesce(stored.email, excluded.email) END,
    role = CASE WHEN excluded.token_issued_at > stored.token_issued_at
      THEN excluded.role ELSE stored.role END,
    token_issued_at = greatest(excluded.token_issued_at, stored.token_issued_at)
  WHERE excluded.token_issued_at > stored.token_issued_at
    OR (stored.name IS NULL AND excluded.name IS NOT NULL)
    OR (stored.email IS NULL AND excluded.email IS NOT NULL)
  RETURNING id, name)
  SELECT written.id, written.name FROM written LEFT JOIN before ON true
  WHERE before IS NULL OR before.name IS DISTINCT FROM written.name`,
  },

  create: `
  INSERT INTO profile (id, name, email, role, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING ${COLUMNS}`,

  scan: `SELECT ${COLUMNS} FROM profile WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2`,

  seed: `
  INSERT INTO profile (id, name, email, role, created_at)
  SELECT id, name, email, role, "createdAt"
  FROM jsonb_to_recordset($1) AS seed (id uuid, name text, email text, role text, "createdAt" timestamptz)
  WHERE NOT EXISTS (SELECT FROM profile)
  ON CONFLICT (id) DO NOTHING`,
});

/** Keeps profiles in the table `profile`. */
export function createProfileStore(pool: Pool): ProfileStore {
  return {
    findByIds: (ids) => queryRows(pool, sql.findByIds, [ids]),
    findByEmail: async (email) => (await queryRows(pool, sql.findByEmail, [email]))[0],
    list: ({ limit, offset }) => queryRows(pool, sql.list, [limit, offset]),
    listPage: ({ count, backward, after = BEGINNING, before = END }) =>
      queryRows(pool, backward ? sql.listPageBackward : sql.listPage, [
        after.createdAt,
        after.id,
        before.createdAt,
        before.id,
        count,
      ]),
    follow: (claims) => inTransaction(pool, (transaction) => follow(transaction, claims)),
    create: async (transaction, { id, name, email, role, createdAt }) => {
      const rows = await queryRows(transaction, sql.create, [id, name, email, role, createdAt]);
      await publishSaved(transaction, { id, name });
      return onlyRow(rows);
    },
    scan: (after, limit) => queryRows(pool, sql.scan, [after, limit]),
    seed: async (profiles) => {
      await execute(pool, sql.seed, [JSON.stringify(profiles)]);
    },
  };
}

async function follow(transaction: Transaction, claims: Claims): Promise<void> {
  const { id, name, email, role, tokenIssuedAt } = claims;
  const rows = await queryRows(transaction, sql.follow, [id, name, email, role, tokenIssuedAt]);
  for (const renamed of rows) await publishSaved(transaction, renamed);
}
