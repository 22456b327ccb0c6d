import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSupergraphCommand } from './supergraph-command.ts';

const supergraph = fileURLToPath(new URL('../../../graph/supergraph.graphql', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explain-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function explain(operation: string, ...args: readonly string[]) {
  return explainBy(supergraph, operation, ...args);
}

async function explainBy(supergraph: string, operation: string, ...args: readonly string[]) {
  const file = join(folder, 'operation.graphql');
  await writeFile(file, operation);
  let out = '';
  let error = '';
  const status = await runSupergraphCommand(['explain', file, '--supergraph', supergraph, ...args], {
    out: (text) => (out += text),
    error: (text) => (error += text),
  });
  return { status, out, error: error.replaceAll(folder, '.') };
}

const OPERATION =
  'query Latest($n: Int) { posts(first: $n) { title author { name } comments(limit: 2) { body } } }';

describe('explain', () => {
  it('shows requests in their order, cost, and what callers need', async () => {
    const { status, out } = await explain(OPERATION, '--variable', 'n=5');
    const lines = out.split('\n').filter((line) => line.trim() !== '' && !/^ {8}/.test(line));
    expect({ status, lines }).toEqual({
      status: 0,
      lines: [
        'query Latest: 3 requests, 2 one after the other, cost 60',
        '  one after the other',
        '    posts',
        '    at once',
        '      comments at posts.@ with { ... on Post { __typename id published } }',
        '      users at posts.@.author with { ... on User { __typename id } }',
        'callers need',
        '  Post.author: scope read:data',
        '  Post.comments: scope read:data',
        '  Query.posts: scope read:data',
      ],
    });
  });

  it('draws the plan as SVG, whatever the names are', async () => {
    const { out } = await explain(OPERATION, '--format', 'svg');
    expect(out).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
    expect([...out.matchAll(/font-size="15"[^>]*>(\w+)</g)].map(([, name]) => name)).toEqual([
      'posts',
      'comments',
      'users',
    ]);
    expect([...out.matchAll(/<line /g)]).toHaveLength(2);
    expect(out).toContain('>callers need Post.author: scope read:data</text>');
    const hostile = join(folder, 'hostile.graphql');
    const sdl = await readFile(supergraph, 'utf8');
    await writeFile(
      hostile,
      sdl.replaceAll('"read:data"', '"a<b&c"').replace('name: "users"', 'name: "a<b&c"'),
    );
    const { out: escaped } = await explainBy(hostile, OPERATION, '--format', 'svg');
    expect(escaped).toContain('font-size="15" fill="#1a1a1a">a&lt;b&amp;c</text>');
    expect(escaped).toContain('>callers need Post.author: scope a&lt;b&amp;c</text>');
    expect(escaped).not.toContain('a<b');
  });

  it('is JSON for programs', async () => {
    const { out } = await explain('{ post(id: "1") { title } }', '--format', 'json');
    expect(JSON.parse(out)).toMatchObject({
      type: 'query',
      requests: 1,
      depth: 1,
      step: { kind: 'fetch', subgraph: 'posts' },
    });
  });

  it('names why the gateway would reject the operation', async () => {
    expect(await explain('{ nothing }')).toEqual({
      status: 1,
      out: '',
      error:
        'error: ./operation.graphql: GRAPHQL_VALIDATION_FAILED: Cannot query field "nothing" on type "Query".\n',
    });
    await writeFile(join(folder, 'gateway.yaml'), 'limits: { depth: 2 }\n');
    expect((await explain(OPERATION, '--limits', join(folder, 'gateway.yaml'))).error).toContain(
      'QUERY_TOO_COMPLEX',
    );
  });

  it.each([
    ['explain needs the file of an operation.', ['explain', '--supergraph', 'x']],
    ['explain needs --supergraph FILE.', ['explain', 'x']],
    ['--format is one of text, json, svg.', ['explain', 'x', '--supergraph', 'x', '--format', 'sarif']],
    ['--variable is NAME=NUMBER', ['explain', 'x', '--supergraph', 'x', '--variable', 'n']],
  ])('%s', async (problem, args) => {
    let error = '';
    expect(await runSupergraphCommand(args, { out: () => undefined, error: (text) => (error += text) })).toBe(
      64,
    );
    expect(error).toContain(problem);
  });
});
