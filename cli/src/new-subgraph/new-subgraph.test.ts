import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeSubgraphs } from '@trellis/composition';
import { gateway } from '@trellis/gateway';
import { createLogger, createMetrics } from '@trellis/runtime';
import {
  createTemporaryDirectory,
  createTestDatabase,
  createTestUserContext,
  freePort,
  type TemporaryDirectory,
} from '@trellis/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runTrellis } from '../trellis.ts';
import { writeNewSubgraph, type NewSubgraph } from './new-subgraph.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
let temporary: TemporaryDirectory;
let directory: { readonly path: string };
beforeEach(() => {
  temporary = createTemporaryDirectory();
  directory = { path: join(temporary.path, 'work') };
  mkdirSync(directory.path);
});
afterEach(() => {
  vi.restoreAllMocks();
  temporary.remove();
});

const write = (asked: Partial<NewSubgraph>) =>
  writeNewSubgraph({ name: 'likes', directory: directory.path, version: '0.1.0', ...asked });

describe('trellis new-subgraph', () => {
  it.each<[Partial<NewSubgraph>, string]>([
    [{ name: '../likes' }, '"../likes" is no name of a subgraph'],
    [{ name: '__proto__' }, '"__proto__" is no name'],
    [{ name: 'Likes' }, '"Likes" is no name'],
    [{ name: "x'; DROP" }, 'is no name'],
    [{ name: 'constructor' }, 'The name constructor is reserved'],
    [{ name: 'class' }, 'The name class is reserved'],
    [{ name: 'pg_likes' }, 'The name pg_likes is reserved'],
    [{ name: 'queries' }, 'The type Query has a meaning of its own'],
    [{ name: 'news' }, 'The type New has a meaning of its own'],
    [{ name: 'packages' }, 'The type Package has a meaning of its own'],
    [{ type: 'Add' }, 'The type Add has a meaning of its own'],
    [{ name: 'process' }, 'The name process is reserved'],
    [{ type: 'a b' }, '"a b" is no name of a type'],
    [{ port: 70_000 }, '--port takes a number'],
  ])('writes nothing for %j', async (asked, problem) => {
    await expect(write(asked)).rejects.toThrow(problem);
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('leaves a folder that is not empty as it is', async () => {
    mkdirSync(join(directory.path, 'likes'));
    writeFileSync(join(directory.path, 'likes/mine.txt'), 'mine');
    await expect(write({})).rejects.toThrow('likes is not empty.');
    expect(readdirSync(join(directory.path, 'likes'))).toEqual(['mine.txt']);
  });

  it('writes to the folder that is named, and leaves the shell in the one that it is in', async () => {
    const other = join(temporary.path, 'elsewhere/likes');
    await write({ folder: other });
    expect(readdirSync(other)).toContain('package.json');
    const { ino } = statSync(directory.path);
    expect(await write({ folder: '.' })).toMatchObject({ folder: '.' });
    expect(statSync(directory.path).ino).toBe(ino);
    expect(readdirSync(directory.path).toSorted()).toEqual(readdirSync(other).toSorted());
  });

  it('joins supergraph.yaml in the repository, once, at a port of its own', async () => {
    mkdirSync(join(directory.path, 'packages/subgraph-kit'), { recursive: true });
    mkdirSync(join(directory.path, 'services'));
    writeFileSync(join(directory.path, 'packages/subgraph-kit/package.json'), '{}');
    const before = readFileSync(join(repository, 'supergraph.yaml'), 'utf8');
    const file = join(directory.path, 'supergraph.yaml');
    writeFileSync(file, before);
    await expect(write({ name: 'posts', port: 4044 })).rejects.toThrow(
      'supergraph.yaml has a subgraph posts already.',
    );
    await expect(write({ port: 4012 })).rejects.toThrow('Port 4012 is that of posts');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(join(directory.path, 'services'))).toEqual([]);
    await expect(write({ folder: 'likes' })).rejects.toThrow('a folder of services/');
    await expect(write({ folder: 'services/a/likes' })).rejects.toThrow('a folder of services/');
    expect(await write({})).toEqual({ folder: 'services/likes', isJoined: true });
    expect(readFileSync(file, 'utf8')).toContain('file: services/likes/src/schema.graphql');
    expect(await write({ name: 'tags', port: 4045, folder: 'services/labels' })).toMatchObject({
      isJoined: true,
    });
    expect(readFileSync(file, 'utf8')).toContain('file: services/labels/src/schema.graphql');
    await expect(write({})).rejects.toThrow('services/likes is not empty.');
  });

  it('leads to the page, and to no step that its later ones take to be undone', async () => {
    mkdirSync(join(directory.path, 'packages/subgraph-kit'), { recursive: true });
    writeFileSync(join(directory.path, 'packages/subgraph-kit/package.json'), '{}');
    mkdirSync(join(directory.path, 'services'));
    copyFileSync(join(repository, 'supergraph.yaml'), join(directory.path, 'supergraph.yaml'));
    vi.spyOn(process, 'cwd').mockReturnValue(directory.path);
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect(await runTrellis(['new-subgraph', 'likes'])).toBe(0);
    expect(written.mock.calls.flat().join('')).toMatch(
      /Next: npx pnpm install, then the steps of \S*docs\/add-a-subgraph\.md\n$/,
    );
  });

  it('writes what compiles, runs and joins a graph', { timeout: 120_000 }, async () => {
    mkdirSync(join(directory.path, 'empty'));
    const port = await freePort();
    expect(await write({ name: 'likes', folder: 'empty', port })).toEqual({
      folder: 'empty',
      isJoined: false,
    });
    const folder = join(directory.path, 'empty');
    compile(folder);
    await runsAndJoins(folder, port);
  });

  it('writes what compiles with the options of the checkout', { timeout: 60_000 }, async () => {
    await write({ name: 'likes' });
    const folder = join(directory.path, 'likes');
    const compilerOptions = { composite: false, incremental: false, rootDir: 'src' }; // sources of packages are compiled with it
    const files = { include: ['src'], exclude: ['src/*.test.ts'] };
    const options = { extends: join(repository, 'tsconfig.base.json'), compilerOptions, ...files };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
    compile(folder);
  });
});

function compile(folder: string): void {
  symlinkSync(join(repository, 'services/posts/node_modules'), join(folder, 'node_modules'));
  const types = join(repository, 'node_modules/@types');
  const options = ['-p', folder, '--customConditions', 'trellis-source', '--noEmit', '--typeRoots', types];
  const compiler = join(repository, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(compiler, options, { encoding: 'utf8', cwd: repository });
  expect(status, stdout).toBe(0);
}

async function runsAndJoins(folder: string, port: number): Promise<void> {
  const database = await createTestDatabase();
  const { privateKey, jwks, sign } = await createTestUserContext();
  let subgraph: ChildProcess | undefined;
  const url = `http://127.0.0.1:${port}`;
  const schema = readFileSync(join(folder, 'src/schema.graphql'), 'utf8').replaceAll(
    /@requiresScopes\(.*\)/g,
    '',
  );
  const composed = composeSubgraphs([
    { name: 'likes', routingUrl: `${url}/graphql`, sdl: schema, source: 'likes' },
  ]);
  if (composed.kind === 'failed') throw new Error(composed.errors.map(({ message }) => message).join('\n'));
  writeFileSync(join(folder, 'supergraph.graphql'), composed.supergraphSdl);
  const served = await gateway.start(
    gateway.readConfig({
      PORT: '0',
      SUPERGRAPH: join(folder, 'supergraph.graphql'),
      USER_CONTEXT_PRIVATE_KEY: JSON.stringify(privateKey),
    }),
    { logger: createLogger({ service: 'gateway', level: 'silent' }), metrics: createMetrics('gateway') },
  );
  try {
    subgraph = spawn(
      process.execPath,
      ['--conditions=trellis-source', '--import', 'tsx', join(folder, 'src/main.ts')],
      {
        cwd: repository,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: database.connectionString,
          USER_CONTEXT_JWKS: JSON.stringify(jwks),
          OPERATIONS_PORT: '0',
          LOG_LEVEL: 'warn',
        },
      },
    );
    await expect
      .poll(() =>
        fetch(`${url}/health/ready`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    const user = { id: '01890000-0000-7000-8000-000000000001', roles: [], tokenIssuedAt: 0 };
    const context = await sign('likes', { user, scopes: ['read:data', 'write:data'] });
    const added = await ask(url, 'mutation { addLike(text: "hello") { id text } }', {
      'trellis-user-context': context,
      'apollo-require-preflight': '1',
    });
    expect(added).toEqual({ data: { addLike: { id: expect.any(String) as string, text: 'hello' } } });
    // Through the gateway, without a token: the subgraph itself withholds what needs a scope.
    const query = '{ like(id: "01890000-0000-7000-8000-000000000000") { text } }';
    expect(await ask(served.url, query)).toMatchObject({ errors: [{ path: ['like'] }] });
  } finally {
    subgraph?.kill('SIGTERM');
    await served.close();
    await database.drop();
  }
}

async function ask(
  url: string,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return response.json();
}
