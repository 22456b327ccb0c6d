import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checks } from '../checks.ts';
import { checkUntaggedSdl, findUntaggedSdl, judgeTexts, textsForAReason } from './untagged-sdl.ts';

describe('A schema in TypeScript', () => {
  it.each([
    'const schema = `type Query { a: Int }`;',
    'const schema = \'extend schema @link(url: "x")\';',
    'const schema = parse(`\n  extend schema\n    @link(url: "x")\n`);',
    'const schema = sdl`type Mutation { a: Int }`;',
    'const schema = `${head} extend type User @key(fields: "id") { a: Int }`;',
    'const schema = `${LINK}\ntype User { a: Int }`;',
    'const schema = `${gql`scalar A`} ${"input I { a: Int }"}`;',
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

  it.each([
    ['it can not be parsed', "const broken = 'type Query { a: ';"],
    ['it is code that has a schema', "const code = 'const a = gql`type Query { a: Int }`;';"],
    ['it is sent as an operation', "const query = 'type More { a: Int } { dog { name } }';"],
    ['a placeholder stands among fields', 'const of = (a: string) => `type Query { b: Int ${a} }`;'],
    [
      'a placeholder stands in a list',
      'const of = (a: string) => `extend schema @link(import: ["x" ${a}])`;',
    ],
    [
      'a placeholder stands in a text',
      'const of = (a: string) => `type Query { a: Int @tag(name: "${a}") }`;',
    ],
    [
      'a placeholder stands in a description',
      'const of = (a: string) => `"""${a}""" type Query { a: Int }`;',
    ],
  ])('is none where %s', (_why, text) => {
    expect(findUntaggedSdl('a.ts', text)).toEqual([]);
  });

  it('is named with its line', () => {
    expect(findUntaggedSdl('bench/a.ts', '\n\nconst a = `type Query { a: Int }`;')).toEqual([
      'bench/a.ts:3 has a schema as a plain text. Tag it gql.',
    ]);
  });

  it('is found in tests, fixtures and components as well', () => {
    const directory = createTemporaryDirectory();
    onTestFinished(() => directory.remove());
    const paths = ['cli/testing/a.ts', 'examples/web/a.tsx', 'gateway/src/a.test.ts', 'scripts/a.mts'];
    for (const path of paths) {
      mkdirSync(join(directory.path, path, '..'), { recursive: true });
      writeFileSync(join(directory.path, path), "export const schema = 'type Query { a: Int }';\n");
    }
    execFileSync('git', ['init', '--quiet'], { cwd: directory.path });
    execFileSync('git', ['add', '.'], { cwd: directory.path });
    expect(checkUntaggedSdl(directory.path)).toEqual(
      paths.map((path) => `${path}:1 has a schema as a plain text. Tag it gql.`),
    );
  });

  it('is tagged in product and benchmarks, which npm run check holds them to', async () => {
    const check = checks.find(({ name }) => name === 'tagged schemas');
    expect(await check?.run()).toEqual({ passed: true, output: '' });
  });

  it.each(Object.keys(textsForAReason))('is still a plain text where there is a reason: %s', (path) => {
    const { texts, reason } = textsForAReason[path] ?? { texts: 0, reason: '' };
    expect([texts > 0, reason]).toEqual([true, expect.stringMatching(/\w/)]);
    const found = Array.from({ length: texts }, (_, line) => `${path}:${line}`);
    expect(judgeTexts(path, found)).toEqual([]);
    const expected = expect.stringContaining(`${path} has ${texts + 1} schemas as plain texts`) as string;
    expect(judgeTexts(path, [...found, `${path}:${texts}`])).toEqual([expected]);
    expect(judgeTexts(path, found.slice(1))).toHaveLength(1);
  });
});
