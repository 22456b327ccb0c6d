import { createPool, type Pool } from '@trellis/postgres';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { createId, migrateSubgraph } from '@trellis/subgraph-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cursorOfHit, readHitCursor, type HitPlace } from './hit-cursor.ts';
import { createSearchIndex } from './search-index.ts';

const COUNT = 1_000;
const RANKED = 500;
const RARE = [0, 300, 650, 850, 960, 999];

const everything = { backward: false, after: undefined, before: undefined };

/** Ids from the oldest to the newest. */
const postId = createId();
const ids = Array.from({ length: COUNT }, createId);

describe.each([
  ['before PostgreSQL has statistics', false],
  ['with the statistics of PostgreSQL', true],
])('The newest matches, %s', (_when, analyzed) => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    const location = { connectionString: database.connectionString, schema: 'search' };
    await migrateSubgraph({ ...location, directory: new URL('../migrations/', import.meta.url) });
    pool = createPool(location);
    await pool.query(
      "INSERT INTO post_document (id, published, words, generation) VALUES ($1, true, 'post', 1)",
      [postId],
    );
    await pool.query(
      `INSERT INTO comment_document (id, post_id, words, generation)
       SELECT id, $2, CASE WHEN place - 1 = ANY($3::int[]) THEN 'frequent rare' ELSE 'frequent' END::tsvector, 1
       FROM unnest($1::uuid[]) WITH ORDINALITY AS comment (id, place)`,
      [ids, postId, RARE],
    );
    if (analyzed) await pool.query('ANALYZE comment_document');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  const found = async (text: string): Promise<readonly string[]> =>
    (await createSearchIndex(pool).find(text, { ...everything, count: COUNT })).map(({ id }) => id);

  it('of a frequent word are those that are ranked, the newest of equals first', async () => {
    expect(await found('frequent')).toEqual(ids.toReversed().slice(0, RANKED));
  });

  it('of a rare word are all there are, however old', async () => {
    const rare = RARE.map((index) => ids[index]).toReversed();
    expect(await found('frequent rare')).toEqual(rare);
    expect(await found('rare')).toEqual(rare);
  });

  it.each([false, true])('are each met once, page by page (backward: %s)', async (backward) => {
    const index = createSearchIndex(pool);
    const met: string[] = [];
    for (let place: HitPlace | undefined; ;) {
      const cursor = backward ? { after: undefined, before: place } : { after: place, before: undefined };
      const hits = await index.find('frequent', { count: 99, backward, ...cursor });
      met.push(...hits.map(({ id }) => id));
      const last = hits.at(-1);
      if (!last) break;
      place = readHitCursor('after', cursorOfHit(last));
    }
    const newestFirst = ids.toReversed().slice(0, RANKED);
    expect(met).toEqual(backward ? newestFirst.toReversed() : newestFirst);
  });

  it('are none of a word that no text has', async () => {
    expect(await found('nothing')).toEqual([]);
  });
});

describe('The cursor of a hit', () => {
  const [id = ''] = ids;
  const encoded = (text: string): string => Buffer.from(text).toString('base64url');

  it.each(['0', '0.06079271', '1e-20'])('says where it is: %s', (rank) =>
    expect(readHitCursor('after', cursorOfHit({ rank, id }))).toEqual({ rank, id }),
  );

  it.each([
    '',
    id,
    ...['NaN', 'Infinity', '-1', '1e99', '1e-99', '1-2', '', "0'"].map((rank) => encoded(`${rank} ${id}`)),
    encoded('1 x'),
    `${encoded(`1 ${id}`)}=`,
  ])('S-099 is not %j', (value) =>
    expect(() => readHitCursor('before', value)).toThrow(
      expect.objectContaining({
        extensions: { code: 'BAD_USER_INPUT', field: 'before', invalidValue: value },
      }),
    ),
  );
});
