import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTemporaryDirectory,
  createTestDatabase,
  createTestUserContext,
  freePort,
  proof,
  startTestRedis,
} from '@trellis/testkit';
import { root } from '../harness/running-program.ts';
import { install, installOutside, nodeReleases, type NodeRelease } from './packages/outside-project.ts';
import { NAMED, packAll } from './packages/pack.ts';
import { plainEnvironment, runProgram } from './packages/run-program.ts';
import { serve } from './packages/served-program.ts';

/** A gateway has that long from its start to its first response, on a machine that does nothing else. */
const START_BUDGET_MS = { full: 3_000, small: 15_000 };

/** Does what a user does who has never seen the repository. */
proof({
  name: 'packages',
  description:
    'the packed packages install in an empty folder, on this Node.js and the newest: gateway, plugin, subgraph, auth-server and types work',
  async run({ size }) {
    const directory = createTemporaryDirectory();
    const folder = (name: string): string => {
      mkdirSync(join(directory.path, name));
      return join(directory.path, name);
    };
    try {
      const packed = await packAll(folder('packed'));
      await checkPackages(NAMED.map((name) => fileOf(packed, name)));
      const project = folder('project');
      await installOutside(project, [...packed.values()]);
      await checkTypes(project);
      const written = await writeSubgraph(folder('empty'), project, packed);
      const figures: Record<string, number | string> = { packages: packed.size };
      let slowest = 0;
      for (const node of await nodeReleases(folder('node'))) {
        const readyMs = await tryRelease(project, written, node);
        figures[`gatewayReadyMs ${node.version}`] = readyMs;
        slowest = Math.max(slowest, readyMs);
      }
      return { passed: slowest < START_BUDGET_MS[size], figures };
    } finally {
      directory.remove();
    }
  },
});

function fileOf(packed: ReadonlyMap<string, string>, name: string): string {
  const file = packed.get(name);
  if (file === undefined) throw new Error(`${name} was not packed.`);
  return file;
}

/** publint and Are The Types Wrong, at their strictest for packages of ES modules alone. */
async function checkPackages(files: readonly string[]): Promise<void> {
  const tool = (name: string): string => join(root, 'e2e/node_modules/.bin', name);
  await Promise.all(
    files.map(async (file) => {
      await runProgram(tool('publint'), [file, '--strict'], { cwd: root });
      await runProgram(tool('attw'), ['--profile', 'esm-only', file], { cwd: root });
    }),
  );
}

async function checkTypes(cwd: string): Promise<void> {
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
  await runProgram(join(root, 'node_modules/.bin/tsc'), [...options, 'consumer.mts'], { cwd });
}

/** @returns from the start of `trellis gateway supergraph.graphql` to its first response, in milliseconds */
async function tryRelease(project: string, written: string, node: NodeRelease): Promise<number> {
  const trellis = [node.executable, 'node_modules/trellis/bin/trellis.mjs'];
  const readyMs = await tryGateway(project, trellis);
  await tryEmbedding(project, node);
  await tryJoining(project, node, trellis);
  await tryAuthServer(project, trellis);
  await tryWrittenSubgraph(project, written, node);
  return readyMs;
}

const SILENT = { OPERATIONS_PORT: '0', LOG_LEVEL: 'warn' };

async function tryGateway(cwd: string, trellis: readonly string[]): Promise<number> {
  const port = await freePort();
  const gateway = await serve(
    [...trellis, 'gateway', 'supergraph.graphql', '--port', String(port)],
    `${urlOf(port)}/health/ready`,
    { cwd, env: { ...plainEnvironment(), ...SILENT } },
  );
  await gateway.stop();
  return gateway.readyMs;
}

async function tryEmbedding(cwd: string, { executable }: NodeRelease): Promise<void> {
  const port = await freePort();
  const env = { ...plainEnvironment(), LOG_LEVEL: 'warn', PORT: String(port) };
  const host = await serve([executable, 'embedding.mjs'], `${urlOf(port)}/ready`, { cwd, env });
  await expectData(port, '{ __typename }', { __typename: 'Query' });
  await host.stop();
}

/** A subgraph of another repository joins the graph while its gateway serves. */
async function tryJoining(cwd: string, node: NodeRelease, trellis: readonly string[]): Promise<void> {
  const [gatewayPort, subgraphPort] = [await freePort(), await freePort()];
  const { privateKey } = await createTestUserContext();
  const env = { ...plainEnvironment(), ...SILENT, USER_CONTEXT_PRIVATE_KEY: JSON.stringify(privateKey) };
  cpSync(join(cwd, 'supergraph.graphql'), join(cwd, 'served.graphql'));
  const gateway = await serve(
    [...trellis, 'gateway', 'served.graphql', '--port', String(gatewayPort)],
    `${urlOf(gatewayPort)}/health/ready`,
    { cwd, env },
  );
  const subgraph = await serve([node.executable, 'greetings.mjs'], `${urlOf(subgraphPort)}/health/ready`, {
    cwd,
    env: { ...plainEnvironment(), GATEWAY: urlOf(gatewayPort), PORT: String(subgraphPort) },
  });
  writeFileSync(join(cwd, 'joined.yaml'), joinedConfiguration(subgraphPort));
  const compose = ['supergraph', 'compose', '--config', 'joined.yaml', '--output', 'served.graphql'];
  await runProgram(node.executable, [...trellis.slice(1), ...compose], { cwd });
  await expectData(gatewayPort, '{ greeting }', { greeting: 'Hello, world' });
  await subgraph.stop();
  await gateway.stop();
}

const NEW = 'likes';

/** \`trellis new-subgraph\` in an empty folder, installed from the packed files and compiled. @returns its folder */
async function writeSubgraph(
  directory: string,
  project: string,
  packed: ReadonlyMap<string, string>,
): Promise<string> {
  const trellis = join(project, 'node_modules/trellis/bin/trellis.mjs');
  await runProgram(process.execPath, [trellis, 'new-subgraph', NEW], { cwd: directory });
  const folder = join(directory, NEW);
  // What was not published yet comes from the packed files, also where other packages depend on it.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest; // written above
  const overrides = Object.fromEntries([...packed].map(([name, file]) => [name, `file:${file}`]));
  for (const group of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(group)) group[name] = overrides[name] ?? group[name] ?? '';
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, overrides }));
  await install(folder, []);
  await runProgram('npm', ['run', 'build'], { cwd: folder });
  return folder;
}

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

/** Its own tests pass, it starts, and it joins a graph that is served. */
async function tryWrittenSubgraph(
  project: string,
  folder: string,
  { executable }: NodeRelease,
): Promise<void> {
  const database = await createTestDatabase();
  const { privateKey } = await createTestUserContext();
  const [gatewayPort, subgraphPort] = [await freePort(), await freePort()];
  const trellis = [executable, 'node_modules/trellis/bin/trellis.mjs'];
  const served = join(folder, 'served.graphql');
  cpSync(join(project, 'supergraph.graphql'), served);
  try {
    await runProgram(executable, ['node_modules/vitest/vitest.mjs', 'run'], { cwd: folder });
    const gateway = await serve(
      [...trellis, 'gateway', served, '--port', String(gatewayPort)],
      `${urlOf(gatewayPort)}/health/ready`,
      {
        cwd: project,
        env: { ...plainEnvironment(), ...SILENT, USER_CONTEXT_PRIVATE_KEY: JSON.stringify(privateKey) },
      },
    );
    const subgraph = await serve([executable, 'dist/main.js'], `${urlOf(subgraphPort)}/health/ready`, {
      cwd: folder,
      env: {
        ...plainEnvironment(),
        ...SILENT,
        PORT: String(subgraphPort),
        DATABASE_URL: database.connectionString,
        USER_CONTEXT_JWKS_URL: `${urlOf(gatewayPort)}/.well-known/user-context-jwks.json`,
      },
    });
    // The gateway would withhold what needs a scope: that the subgraph does so shows that it was asked.
    const sdl = readFileSync(join(folder, 'src/schema.graphql'), 'utf8').replaceAll(
      /@requiresScopes\(.*\)/g,
      '',
    );
    const subgraphs = { [NEW]: { routing_url: `${urlOf(subgraphPort)}/graphql`, schema: { sdl } } };
    writeFileSync(join(folder, 'supergraph.yaml'), JSON.stringify({ subgraphs }));
    const compose = ['compose', '--config', join(folder, 'supergraph.yaml'), '--output', served];
    await runProgram(executable, [...trellis.slice(1), ...compose], { cwd: project });
    const query = `{ _: __typename ${NEW.slice(0, -1)}(id: "none") { text } }`;
    await expectResponse(gatewayPort, query, (text) =>
      /"path":\["like"\].*"code":"(?:UNAUTHENTICATED|FORBIDDEN)"/.test(text),
    );
    await subgraph.stop();
    await gateway.stop();
  } finally {
    await database.drop();
  }
}

const CONTENT = ['users', 'posts', 'comments', 'search'];

function joinedConfiguration(port: number): string {
  const subgraphs = CONTENT.map((name) => {
    const file = join(root, 'services', name, 'src/schema.graphql');
    return `  ${name}: { routing_url: "http://127.0.0.1:1/graphql", schema: { file: ${JSON.stringify(file)} } }`;
  });
  const greetings = `  greetings: { routing_url: "${urlOf(port)}/graphql", schema: { file: greetings.graphql } }`;
  return `federation_version: =2.14.4\nsubgraphs:\n${[...subgraphs, greetings].join('\n')}\n`;
}

async function tryAuthServer(cwd: string, trellis: readonly string[]): Promise<void> {
  const database = await createTestDatabase();
  const redis = await startTestRedis();
  const port = await freePort();
  try {
    const stores = { DATABASE_URL: database.connectionString, REDIS_URL: redis.url };
    const authServer = await serve(
      [...trellis, 'auth-server'],
      `${urlOf(port)}/.well-known/openid-configuration`,
      { cwd, env: { ...plainEnvironment(), ...SILENT, ...stores, PORT: String(port) } },
    );
    await authServer.stop();
  } finally {
    await redis.stop();
    await database.drop();
  }
}

const RELOAD_DEADLINE_MS = 20_000;

function expectData(port: number, query: string, expected: object): Promise<void> {
  return expectResponse(port, query, (text) => text === JSON.stringify({ data: expected }));
}

/** Waits until a query has a result: a gateway takes over what it serves within moments. */
async function expectResponse(
  port: number,
  query: string,
  isExpected: (text: string) => boolean,
): Promise<void> {
  const until = performance.now() + RELOAD_DEADLINE_MS;
  for (;;) {
    const response = await fetch(`${urlOf(port)}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
      signal: AbortSignal.timeout(RELOAD_DEADLINE_MS),
    });
    const text = await response.text();
    if (isExpected(text)) return;
    if (performance.now() > until) throw new Error(`${query} was answered with ${text}`);
  }
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
