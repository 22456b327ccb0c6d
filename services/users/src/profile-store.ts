import type { Pool } from '@trellis/postgres';
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
  /** Oldest first. */
  list(page: OffsetPage): Promise<readonly Profile[]>;
  /**
   * Makes the profile, or lets it follow a token. What a newer token says counts; what an older one says fills only what
   * nobody has told yet. One atomic statement, which writes nothing when there is nothing new.
   */
  follow(claims: Claims): Promise<void>;
  /** Fills an empty table; leaves any other as it is. */
  seed(profiles: readonly Profile[]): Promise<void>;
}

const COLUMNS = 'id, name, email, role, created_at AS "createdAt"';

const FIND_BY_IDS = `SELECT ${COLUMNS} FROM profile WHERE id = ANY($1::uuid[])`;

// The page is found in the index alone; only its rows are read from the table.
const LIST = `
  SELECT ${COLUMNS}
  FROM (SELECT id FROM profile ORDER BY created_at, id LIMIT $1 OFFSET $2) AS page
  JOIN profile USING (id)
  ORDER BY created_at, id`;

const FOLLOW = `
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
    OR (stored.email IS NULL AND excluded.email IS NOT NULL)`;

const SEED = `
  INSERT INTO profile (id, name, email, role, created_at)
  SELECT id, name, email, role, "createdAt"
  FROM jsonb_to_recordset($1) AS seed (id uuid, name text, email text, role text, "createdAt" timestamptz)
  WHERE NOT EXISTS (SELECT FROM profile)
  ON CONFLICT (id) DO NOTHING`;

/** Keeps profiles in the table `profile`. */
export function createProfileStore(pool: Pool): ProfileStore {
  return {
    findByIds: async (ids) => (await pool.query<Profile>(FIND_BY_IDS, [ids])).rows,
    list: async ({ limit, offset }) => (await pool.query<Profile>(LIST, [limit, offset])).rows,
    follow: async ({ id, name, email, role, tokenIssuedAt }) => {
      await pool.query(FOLLOW, [id, name, email, role, tokenIssuedAt]);
    },
    seed: async (profiles) => {
      await pool.query(SEED, [JSON.stringify(profiles)]);
    },
  };
}
