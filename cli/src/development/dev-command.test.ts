import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeSubgraphs, releaseText, type SubgraphSchema } from '@trellis/composition';
import {
  createTemporaryDirectory,
  freePort,
  programArguments,
  type TemporaryDirectory,
} from '@trellis/testkit';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { pageCommands } from '../../testing/page-commands.ts';
import { trellis } from '../../testing/run-command.ts';
import { runTrellis } from '../trellis.ts';
import { followRest } from './follow-rest.ts';

const LINK = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@override"])
`;
const USERS = print(gql`
  ${LINK}
  type Query {
    user(id: ID!): User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String!
    likes: Int!
  }
`);
const NEWS = print(gql`
  ${LINK}
  type User @key(fields: "id") {
    id: ID!
    likes: Int! @override(from: "users")
  }
`);
const LIKES = print(gql`
  ${LINK}
  type User @key(fields: "id") {
    id: ID!
    liked: Int!
  }
`);

/** A subgraph that runs where PORT says, and writes down how it was started. */
const SERVER = `
  import { createServer } from 'node:http';
  import { renameSync, writeFileSync } from 'node:fs';
  const { PORT, USER_CONTEXT_JWKS, OUT } = process.env;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: { _entities: [{ liked: 5 }] } }));
    });
  });
  server.listen(Number(PORT), '127.0.0.1', () => {
    writeFileSync(OUT + '.part', JSON.stringify({ pid: process.pid, port: PORT, keys: USER_CONTEXT_JWKS }));
    renameSync(OUT + '.part', OUT);
  });`;

let directory: TemporaryDirectory;
let graph: readonly SubgraphSchema[];
const at = (name: string): string => join(directory.path, name);

beforeAll(async () => {
  directory = createTemporaryDirectory();
  graph = [
    { name: 'users', routingUrl: 'http://users.invalid/graphql', sdl: USERS, source: 'users.graphql' },
    { name: 'news', routingUrl: 'http://news.invalid/graphql', sdl: NEWS, source: 'news.graphql' },
  ];
  const composed = composeSubgraphs(graph);
  if (composed.kind === 'failed') throw new Error(composed.errors.map(({ message }) => message).join('\n'));
  const { supergraphSdl } = composed;
  writeFileSync(at('rest.graphql'), supergraphSdl);
  writeFileSync(at('release.json'), releaseText({ supergraphSdl, subgraphs: graph }));
  writeFileSync(at('likes.graphql'), LIKES);
  writeFileSync(at('server.mjs'), SERVER);
  await publishRest();
});
afterAll(() => directory.remove());

const ofRegistry = (): readonly string[] => ['--registry', at('registry'), '--key', at('signing-key.json')];

/** Publishes the graph as content@staging. */
async function publishRest(): Promise<void> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const schema = (name: string): string => at(`${name}.graphql`);
  for (const { name, sdl } of graph) writeFileSync(schema(name), sdl);
  const subgraphs = graph.map(
    ({ name, routingUrl }) =>
      `  ${name}: { routing_url: ${JSON.stringify(routingUrl)}, schema: { file: ${schema(name)} } }\n`,
  );
  writeFileSync(at('supergraph.yaml'), `subgraphs:\n${subgraphs.join('')}`);
  await runTrellis(['keys', 'new', '--file', at('signing-key.json'), '--output', at('trust.txt'), '--json']);
  await runTrellis(['registry', 'init', ...ofRegistry()]);
  const what = ['--graph', 'content@staging', '--config', at('supergraph.yaml')];
  await runTrellis(['publish', ...what, ...ofRegistry()]);
  write.mockRestore();
  const { trust } = JSON.parse(readFileSync(at('trust.txt'), 'utf8')) as { readonly trust: unknown };
  writeFileSync(at('trust.json'), JSON.stringify(trust));
}

/** A subgraph that first fails, with a message that would set the title of a terminal. */
interface Tags {
  readonly url: string;
  /** From now on it has a schema. */
  readonly recover: () => void;
  readonly close: () => Promise<unknown>;
}

async function startTags(): Promise<Tags> {
  let hasFailed = true;
  const server = createServer((_request, response) => {
    const failure = { errors: [{ message: '\u001B]0;title\u0007' }] };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(
        hasFailed
          ? failure
          : {
              data: {
                _service: {
                  sdl: print(gql`
                    type Query {
                      tag: String
                    }
                  `),
                },
              },
            },
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens at a port
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    recover: () => void (hasFailed = false),
    close: () => {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      return closed;
    },
  };
}

describe('trellis dev --rest', () => {
  it.each(['rest.graphql', 'release.json'])('joins the graph of %s', async (name) => {
    const [feed, ...others] = await followRest(at(name), {});
    expect([await feed?.read(), feed?.problem(), others]).toEqual([true, undefined, []]);
    const schemas = feed?.schemas() ?? [];
    expect(new Map(schemas.map((one) => [one.name, one.routingUrl]))).toEqual(
      new Map(graph.map((one) => [one.name, one.routingUrl])),
    );
    const users = schemas.find((one) => one.name === 'users')?.sdl;
    expect(users?.includes('likes')).toBe(name === 'release.json'); // a supergraph lacks what is overridden
  });

  it('says what can not be read, and goes on without', async () => {
    const [feed] = await followRest(at('none.graphql'), {});
    expect(await feed?.read()).toBe(true);
    expect([feed?.schemas(), feed?.problem()]).toEqual([
      [],
      expect.stringMatching(/^There is no file or directory for \S*none\.graphql\.$/),
    ]);
  });

  it.each([
    ['usrs', ['--rest', 'rest.graphql'], 'Did you mean "users"?'],
    ['likes', ['--rest', 'rest.graphql'], 'it is yours'],
    ['users', [], 'has no subgraph of that name'],
  ])('rejects --mock %s with %j', async (name, rest, problem) => {
    let errors = '';
    const write = vi
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => ((errors += String(text)), true));
    const own = ['--subgraph', `likes=${at('likes.graphql')}`, '--key', at('key.json')];
    const joined = rest.map((word) => (word.startsWith('--') ? word : at(word)));
    expect(await runTrellis(['dev', ...own, ...joined, '--mock', name])).toBe(64);
    write.mockRestore();
    expect(errors).toContain(`--mock ${name}: `);
    expect(errors).toContain(problem);
  });

  it('reads no more of a URL than a supergraph may have', async () => {
    const chunk = Buffer.alloc(1_048_576, ' ');
    const server = createServer((_request, response) => {
      const more = (): void =>
        void (response.write(chunk) ? setImmediate(more) : response.once('drain', more));
      more();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens at a port
    const [feed] = await followRest(`http://127.0.0.1:${port}/`, {});
    await feed?.read();
    expect(feed?.problem()).toContain('longer than 67108864 bytes');
    server.close().closeAllConnections();
  });
});

describe('trellis dev -- COMMAND', () => {
  it('ends with 64 on Windows, and says how the subgraph joins all the same', async () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    onTestFinished(() => void Object.defineProperty(process, 'platform', platform));
    const own = ['--subgraph', `likes=${at('likes.graphql')}`, '--key', at('key.json')];
    const { status, out, error } = await trellis('dev', ...own, '--', 'npm', 'start');
    expect([status, out, error.split('\n')[0]]).toEqual([
      64,
      '',
      'error: trellis dev runs no command on Windows: start it yourself, and say where it runs by --url likes=http://….',
    ]);
  });

  it('starts as docs/develop-a-subgraph.md says it', async () => {
    const [command, ...more] = pageCommands('develop-a-subgraph.md', 'long-running');
    expect(more).toEqual([]);
    const project = at('project');
    mkdirSync(project);
    writeFileSync(join(project, 'schema.graphql'), LIKES);
    writeFileSync(join(project, 'server.mjs'), SERVER);
    writeFileSync(join(project, 'package.json'), '{ "scripts": { "start": "exec node server.mjs" } }');
    const rest = createServer((_request, response) => response.end(readFileSync(at('rest.graphql'))));
    await once(rest.listen(0, '127.0.0.1'), 'listening');
    const { port } = rest.address() as AddressInfo; // it listens at a port
    const words = (command?.words ?? []).map((word) =>
      word.replace('https://example.com', `http://127.0.0.1:${port}`),
    );
    const graphPort = String(await freePort());
    const program = programArguments(fileURLToPath(new URL('../main.ts', import.meta.url)));
    const dev = spawn(process.execPath, [...program, ...words], {
      cwd: project,
      env: {
        PATH: process.env['PATH'],
        HOME: project,
        GATEWAY_PORT: graphPort,
        OUT: join(project, 'started.json'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(dev, 'exit');
    let printed = '';
    dev.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await expect.poll(() => printed).toContain(`ready at http://127.0.0.1:${graphPort}/graphql`);
    expect(printed).toMatch(/^composed 3 subgraphs in \d+ ms$/m);
    await expect.poll(() => existsSync(join(project, 'started.json'))).toBe(true);
    dev.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    rest.close();
  });

  it('runs a subgraph beside a mocked graph of a registry, and ends it', async () => {
    const tags = await startTags();
    const port = await freePort();
    const node = programArguments(fileURLToPath(new URL('../main.ts', import.meta.url)));
    const own = ['--subgraph', `likes=${at('likes.graphql')}`, '--subgraph', `tags=${tags.url}`];
    const command = ['--', process.execPath, at('server.mjs')];
    const published = ['--registry', at('registry'), '--trust', at('trust.json')];
    const rest = ['--rest', 'content@staging', ...published, '--mock', '--port', String(port)];
    const args = [...node, 'dev', ...own, ...rest, ...command];
    const dev = spawn(process.execPath, args, {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { PATH: process.env['PATH'], DATA_DIR: at('.data'), OUT: at('started.json') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    dev.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await expect.poll(() => printed).toContain('waiting: tags: ');
    tags.recover();
    await expect.poll(() => printed).toContain(`ready at http://127.0.0.1:${port}/graphql`);
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ user(id: "1") { name liked } }' }),
    });
    expect(await response.json()).toEqual({
      data: { user: { name: expect.stringMatching(/^name \d+$/) as string, liked: 5 } },
    });
    const started = JSON.parse(readFileSync(at('started.json'), 'utf8')) as { pid: number; keys: string };
    expect(started.keys).not.toContain('"d"');
    expect(statSync(at('.data/developer-key.json')).mode & 0o777).toBe(0o600);
    expect(printed).toContain(String.raw`\u{1b}]0;title\u{7}`);
    expect(printed).not.toContain('\u001B');
    const exited = once(dev, 'exit');
    dev.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(() => process.kill(started.pid, 0)).toThrow('ESRCH');
    await tags.close();
  });
});
