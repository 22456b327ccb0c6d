import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import {
  createTemporaryDirectory,
  createTestDatabase,
  freePort,
  type TemporaryDirectory,
  type TestDatabase,
} from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import { startPlatform, type PlatformProcess } from '../harness/platform-process.ts';
import { inheritedEnvironment } from '../harness/running-program.ts';
import { signIn } from '../harness/sign-in.ts';
import { codeBlocks, repository, type CodeBlock } from './code-blocks.ts';

const PAGE = 'docs/add-a-subgraph.md';
const SERVICE = 'services/likes';
/** As the page has it; the test takes a free one. */
const PORT = '4021';
const STEP_DEADLINE_MS = 170_000;
/** What is not part of a checkout, or not needed. */
const LEFT_OUT = new Set(['.git', '.data']);

const execute = promisify(execFile);

interface Liked {
  readonly likePost: { readonly title: string; readonly likeCount: number };
}

const blocks = codeBlocks(PAGE);
const noted = (note: string): CodeBlock[] => blocks.filter((block) => block.note === note);

describe(`The subgraph of ${PAGE}`, () => {
  let directory: TemporaryDirectory;
  let checkout: string;
  let database: TestDatabase;
  let port: string;
  let subgraph: ChildProcess | undefined;
  let starting: Promise<PlatformProcess> | undefined;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    checkout = join(directory.path, 'checkout');
    database = await createTestDatabase();
    port = String(await freePort());
    copyCheckout(checkout);
    const [command] = noted('new-subgraph');
    await run(`${command?.text.trim() ?? ''} --port ${port}`);
    for (const block of blocks.filter(({ note }) => note.startsWith(SERVICE))) writeFile(block);
    linkDependencies(join(checkout, SERVICE));
    // While the steps run: its gateway reloads the supergraph that they compose.
    starting = startPlatform({
      dataDirectory: join(directory.path, 'data'),
      environment: {
        DATABASE_URL: database.connectionString,
        GATEWAY_SUPERGRAPH: join(checkout, 'graph', 'supergraph.graphql'),
      },
    });
    starting.catch(() => undefined); // the test that needs it has the reason
  });

  afterAll(async () => {
    subgraph?.kill('SIGTERM');
    await (await starting?.catch(() => undefined))?.stop();
    await database.drop();
    directory.remove();
  });

  function writeFile({ note, text }: CodeBlock): void {
    const file = join(checkout, note);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll(PORT, port));
  }

  /** @returns what it wrote @throws Error with that, where it ends with another status than 0 */
  async function run(command: string): Promise<string> {
    const options = { cwd: checkout, env: inheritedEnvironment(), timeout: STEP_DEADLINE_MS };
    const { stdout, stderr } = await execute('bash', ['-euc', command], options);
    return stdout + stderr;
  }

  it('is in the configuration of the graph, as the page shows it', () => {
    const [, entry = ''] = noted('supergraph.yaml')[0]?.text.split(/# .*\n/) ?? [];
    const config = readFileSync(join(checkout, 'supergraph.yaml'), 'utf8');
    expect(entry).toContain(PORT);
    expect(config.endsWith(entry.replace(PORT, port))).toBe(true);
  });

  it('composes, generates its types and compiles, step by step', { timeout: 180_000 }, async () => {
    const steps = noted('steps');
    expect(steps.length).toBeGreaterThan(0);
    for (const { text } of steps) await run(text);
    expect(readFileSync(join(checkout, 'graph', 'supergraph.graphql'), 'utf8')).toContain(
      `localhost:${port}/graphql`,
    );
  });

  it('passes its own test', { timeout: 180_000 }, async () => {
    const output = await run(`npx vitest run --project unit ${SERVICE}`);
    expect(output).toMatch(/Tests\W.*1 passed/);
  });

  it('joins the graph behind the gateway', { timeout: 180_000 }, async () => {
    const platform = await starting;
    if (!platform) throw new Error('No platform was started.');
    const { gateway, graph, issuer } = platform.addresses;
    subgraph = startSubgraph(gateway);
    await eventually(
      () => fetch(`http://127.0.0.1:${port}/health/ready`),
      ({ ok }) => ok,
    );

    await eventually(
      () => askGraph(graph, { query: '{ __type(name: "Post") { fields { name } } }' }),
      (response) => JSON.stringify(response.data).includes('likeCount'),
    );
    const { access_token: token } = await signIn(issuer);
    const response = await askGraph<{ posts: { id: string }[] }>(graph, {
      query: '{ posts(first: 1) { id } }',
      token,
    });
    const [firstQuery] = noted('first-query');
    const query = (firstQuery?.text ?? '').replace('<the id of a post>', dataOf(response).posts[0]?.id ?? '');
    for (let time = 0; time < 2; time += 1)
      expect(dataOf(await askGraph<Liked>(graph, { query, token }))).toEqual({
        likePost: { title: expect.any(String) as string, likeCount: 1 },
      });
    const count = '{ posts(first: 2) { likeCount } }';
    expect(dataOf(await askGraph(graph, { query: count, token }))).toEqual({
      posts: [{ likeCount: 1 }, { likeCount: 0 }],
    });
  });

  /** By the page's own command, at the addresses of this test. */
  function startSubgraph(gateway: string): ChildProcess {
    const [command] = noted('likes');
    const text = (command?.text ?? '')
      .replace('postgres://localhost/postgres', database.connectionString)
      .replace('http://localhost:4000', gateway)
      .replaceAll(/\bnode --/g, 'exec node --');
    return spawn('bash', ['-euc', text], {
      cwd: checkout,
      env: { ...inheritedEnvironment(), OPERATIONS_PORT: '0', LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }
});

/** All of it but the installed packages, which are shared. What is compiled already is not compiled again: it is as old as its source. */
function copyCheckout(target: string): void {
  const shared = join(repository, 'node_modules');
  cpSync(repository, target, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: (source) => source !== shared && !isLeftOut(source),
  });
  symlinkSync(shared, join(target, 'node_modules'));
}

function isLeftOut(source: string): boolean {
  if (relative(repository, source).includes('node_modules')) return false;
  return LEFT_OUT.has(basename(source));
}

/** Does what `pnpm install` does for a package whose dependencies others of the workspace have as well. */
function linkDependencies(service: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(service, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const neighbour = join(dirname(service), 'comments/node_modules');
  for (const name of Object.keys(dependencies)) {
    const link = join(service, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(neighbour, name), link);
  }
}
