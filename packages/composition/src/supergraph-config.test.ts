import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatDiagnostic } from './diagnostic.ts';
import { SupergraphConfigError } from './supergraph-config-error.ts';
import { readSupergraphConfig } from './supergraph-config.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supergraph-config-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function write(text: string): Promise<string> {
  const file = join(folder, 'supergraph.yaml');
  await writeFile(file, text);
  return file;
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const file = await write(text);
  const error: unknown = await readSupergraphConfig(file).catch((thrown: unknown) => thrown);
  if (!(error instanceof SupergraphConfigError)) throw new Error('The configuration was accepted.');
  return error.problems.map((problem) => formatDiagnostic(problem).replace(`${folder}/`, ''));
}

describe('A configuration in the format of rover', () => {
  it('names files relative to itself and sorts its subgraphs', async () => {
    const file = await write(`
federation_version: =2.14.4
subgraphs:
  posts:
    routing_url: http://localhost:4012/graphql
    schema:
      file: services/posts/schema.graphql
  inline:
    routing_url: http://localhost:4013/graphql
    schema: { sdl: "type Query { a: Int }" }
`);
    expect(await readSupergraphConfig(file)).toEqual({
      file,
      exactFederationVersion: '2.14.4',
      subgraphs: [
        {
          name: 'inline',
          routingUrl: 'http://localhost:4013/graphql',
          schema: { kind: 'text', sdl: 'type Query { a: Int }' },
        },
        {
          name: 'posts',
          routingUrl: 'http://localhost:4012/graphql',
          schema: {
            kind: 'file',
            path: 'services/posts/schema.graphql',
            file: join(folder, 'services/posts/schema.graphql'),
          },
        },
      ],
    });
  });

  it('takes the address of a subgraph for its routing address where none is given', async () => {
    const file = await write(`
subgraphs:
  users:
    schema:
      subgraph_url: http://localhost:4011/graphql
      introspection_headers: { authorization: Bearer x }
`);
    const config = await readSupergraphConfig(file);
    expect(config.subgraphs).toEqual([
      {
        name: 'users',
        routingUrl: 'http://localhost:4011/graphql',
        schema: {
          kind: 'address',
          url: 'http://localhost:4011/graphql',
          headers: { authorization: 'Bearer x' },
        },
      },
    ]);
    expect(config).not.toHaveProperty('exactFederationVersion');
  });
});

describe('A configuration that is invalid', () => {
  it('is rejected with every problem at once, each at its line', async () => {
    const problems = await problemsOf(`federation_version: 1
subgraphs:
  users:
    routing_url: localhost:4011
    schema: { file: users.graphql }
  posts:
    routing_url: http://localhost:4012/graphql
    schema:
      file: posts.graphql
      sdl: "type Query { a: Int }"
  2fast:
    routing_url: http://localhost:4013/graphql
    schema: { file: fast.graphql }
  comments:
    schema: { file: comments.graphql }
  studio:
    routing_url: http://localhost:4014/graphql
    schema: { graphref: a@current, subgraph: b }
  late: {}
telemetry: true
`);
    expect(problems).toEqual([
      'supergraph.yaml:1:1: INVALID_CONFIG: federation_version must be 2, or an exact version such as =2.14.4',
      'supergraph.yaml:4:5: INVALID_CONFIG: subgraphs.users.routing_url must be an absolute http or https URL',
      'supergraph.yaml:8:5: INVALID_CONFIG: subgraphs.posts.schema needs exactly one of file, subgraph_url and sdl',
      'supergraph.yaml:11:3: INVALID_CONFIG: subgraphs.2fast must be a letter, then at most 63 letters, digits, _ or -',
      'supergraph.yaml:14:3: INVALID_CONFIG: subgraphs.comments routing_url is required, unless schema.subgraph_url is set',
      'supergraph.yaml:18:5: INVALID_CONFIG: subgraphs.studio.schema graphref and subgraph name a schema in a registry, which is not supported: use file, subgraph_url or sdl',
      'supergraph.yaml:19:3: INVALID_CONFIG: subgraphs.late.schema is required',
      'supergraph.yaml:20:1: INVALID_CONFIG: telemetry is not known here',
    ]);
  });

  it('reports invalid YAML, with line and column', async () => {
    expect(await problemsOf('subgraphs:\n  users: {\n')).toEqual([
      expect.stringMatching(/^supergraph\.yaml:3:1: INVALID_CONFIG: Flow map/),
    ]);
  });

  it('reports an alias without an anchor beside its other problems, each at its line', async () => {
    const text = 'subgraphs:\n  users:\n    schema: { file: *.graphql }\n  users: {}\n';
    expect(await problemsOf(text)).toEqual([
      'supergraph.yaml:4:3: INVALID_CONFIG: Map keys must be unique',
      'supergraph.yaml:3:21: INVALID_CONFIG: *.graphql is an alias in YAML, and no anchor before it has that name: put a text that begins with * in quotes',
    ]);
  });

  it('rejects the same subgraph twice', async () => {
    const subgraph = 'routing_url: http://localhost/graphql\n    schema: { file: a.graphql }';
    expect(await problemsOf(`subgraphs:\n  users:\n    ${subgraph}\n  users:\n    ${subgraph}\n`)).toEqual([
      'supergraph.yaml:5:3: INVALID_CONFIG: Map keys must be unique',
    ]);
  });

  it('must list subgraphs', async () => {
    expect(await problemsOf('')).toEqual([
      'supergraph.yaml:1:1: INVALID_CONFIG: the file must be a mapping with federation_version and subgraphs',
    ]);
    expect(await problemsOf('subgraphs: {}\n')).toEqual([
      'supergraph.yaml:1:1: INVALID_CONFIG: subgraphs must list at least one subgraph',
    ]);
  });

  it('that does not exist is named', async () => {
    await expect(readSupergraphConfig(join(folder, 'nowhere.yaml'))).rejects.toThrow(
      /INVALID_CONFIG: There is no file or directory for \S*nowhere\.yaml\.$/,
    );
  });
});
