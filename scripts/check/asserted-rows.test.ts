import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { checkAssertedRows, findAssertedRows, sqlFolders } from './asserted-rows.ts';

describe('Rows of SQL statements', () => {
  it('have types that PostgreSQL knows, in all packages and deployables', () => {
    expect(checkAssertedRows(repository, sqlFolders)).toEqual([]);
  });

  it.each([
    ['src/a.ts', 'const { rows } = await pool.query<Post>(FIND, [id]);', 'asserts the type of rows'],
    ['src/a.test.ts', 'await pool.query<{ id: string }>(sql)', 'asserts the type of rows'],
    ['src/a.ts', 'const { rows } = await pool.query(FIND);', 'reads rows without a type'],
    ['src/a.ts', 'return (await pool.query(FIND)).rows;', 'reads rows without a type'],
    ['src/a.ts', 'return schema.parse((await pool.query(FIND)).rows[0]?.id);', 'reads rows without a type'],
  ])('are found without in %s: %s', (path, line, problem) => {
    expect(findAssertedRows(path, `\n${line}`)).toEqual([expect.stringContaining(`${path}:2 ${problem}`)]);
  });

  it.each([
    ['src/a.ts', 'const rows = await queryRows(pool, sql.find, [id]);'],
    ['src/a.ts', 'return schema.parse((await client.query({ text, values })).rows);'],
    ['src/a.test.ts', "expect((await pool.query('SELECT 1')).rows).toEqual([])"],
  ])('are not found where they are typed, or compared: %s', (path, line) => {
    expect(findAssertedRows(path, line)).toEqual([]);
  });
});
