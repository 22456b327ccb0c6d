import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks } from '../checks.ts';
import { repository } from '../programs/run-program.ts';
import { findUntaggedSdl, textsForAReason } from './untagged-sdl.ts';

describe('A schema in TypeScript', () => {
  it.each([
    'const schema = `type Query { a: Int }`;',
    'const schema = \'extend schema @link(url: "x")\';',
    'const schema = parse(`\n  extend schema\n    @link(url: "x")\n`);',
    'const schema = sdl`type Mutation { a: Int }`;',
    'const schema = `${head} extend type User @key(fields: "id") { a: Int }`;',
  ])('is found where it is a plain text: %s', (text) => {
    expect(findUntaggedSdl('a.ts', text)).toHaveLength(1);
  });

  it.each([
    'const schema = gql`type Query { a: Int }`;',
    "const problem = 'A type of the query is missing.';",
    "import { type Query } from './a.ts';",
    '// type Query { a: Int }\nconst a = 1;',
  ])('may be: %s', (text) => {
    expect(findUntaggedSdl('a.ts', text)).toEqual([]);
  });

  it('is named with its line', () => {
    expect(findUntaggedSdl('bench/a.ts', '\n\nconst a = `type Query { a: Int }`;')).toEqual([
      'bench/a.ts:3 has a schema as a plain text. Tag it gql.',
    ]);
  });

  it('is tagged in product and benchmarks, which npm run check holds them to', async () => {
    const check = checks.find(({ name }) => name === 'tagged schemas');
    expect(await check?.run()).toEqual({ passed: true, output: '' });
  });

  it.each(Object.keys(textsForAReason))('is still a plain text where there is a reason: %s', (path) => {
    expect(findUntaggedSdl(path, readFileSync(join(repository, path), 'utf8'))).not.toEqual([]);
  });
});
