import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { cliCommands } from './cli-commands.ts';
import { runTrellis } from './trellis.ts';

const ESCAPE = '\u{1B}[';
let output: string;
let errors: string;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'every-command-'));
  writeFileSync(
    join(folder, 'supergraph.yaml'),
    'subgraphs:\n  a: { routing_url: "http://a", schema: { sdl: "type Query { x: Int }" } }\n',
  );
  writeFileSync(join(folder, 'operation.graphql'), '{ x }');
});
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => {
  [output, errors] = ['', ''];
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((output += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((errors += String(text)), true));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

/** The exit status, as a shell sees it. */
async function run(...args: readonly string[]): Promise<number> {
  const status = await runTrellis(args);
  const { exitCode } = process;
  return status === 0 ? Number(exitCode ?? 0) : status;
}

/** Without its first letter but one, as hurried fingers type it. */
function mistyped(name: string): string {
  return name.replace(/^(-*\w)\w/, '$1');
}

/** Calls that read the rest of the line: a path of words, and one of its options. */
const inner: readonly (readonly [command: string, option: string])[] = [
  ['supergraph compose', '--config'],
  ['supergraph check', '--against'],
  ['operations list', '--from'],
  ['operations export', '--output'],
  ['operations prune', '--older-than'],
  ['operations init', '--database'],
  ['operations publish', '--client-version'],
  ['operations check', '--against'],
  ['operations retire', '--on'],
  ['operations import', '--output'],
  ['auth-server accounts add', '--email'],
  ['auth-server clients rotate-secret', '--client-id'],
  ['auth-server keys list', '--json'],
  ['search rebuild', '--json'],
  ['registry init', '--registry'],
  ['registry gc', '--older-than'],
  ['variant set', '--percent'],
  ['keys new', '--file'],
  ['keys replace', '--with'],
];

const commands = cliCommands.map(({ name }) => name);
const rows = [...commands.map((name) => [name, '--help'] as const), ...inner];

describe.each(rows)('trellis %s', (path, option) => {
  const words = path.split(' ');

  it('explains itself, with a link to its page or the options that it takes', async () => {
    expect(await run(...words, '--help')).toBe(0);
    expect(output).toContain(option);
    expect(output).not.toContain(ESCAPE);
    const entry = cliCommands.find(({ name }) => name === path);
    if (entry) {
      expect(output).toContain(join('docs', entry.page));
      expect(readFileSync(new URL(`../../docs/${entry.page}`, import.meta.url), 'utf8')).toContain('# ');
    }
  });

  it('knows the command that was meant', async () => {
    const wrong = [...words.slice(0, -1), mistyped(words.at(-1) ?? '')];
    expect(await run(...wrong)).toBe(64);
    const meant = words[0] === 'auth-server' && words.length > 1 ? words.slice(1).join(' ') : words.at(-1);
    expect(errors).toMatch(new RegExp(`Did you mean "?${meant}`));
    expect(output).toBe('');
  });

  it('knows the option that was meant, and says so first', async () => {
    expect(await run(...words, mistyped(option))).toBe(64);
    expect(errors.split('\n').slice(0, 2).join(' ')).toMatch(new RegExp(`Did you mean "?${option}`));
    expect(errors).toMatch(/Usage: /);
    expect(errors.split('\n').length).toBeLessThan(8);
    expect(output).toBe('');
  });

  it('has colours where they are wanted, and none where not', async () => {
    vi.stubEnv('FORCE_COLOR', '1');
    await run(...words, mistyped(option));
    expect(errors).toContain(ESCAPE);
    errors = '';
    vi.stubEnv('FORCE_COLOR', undefined);
    vi.stubEnv('NO_COLOR', '1');
    await run(...words, mistyped(option));
    expect(errors).not.toContain(ESCAPE);
  });
});

describe('help', () => {
  it.each(['supergraph', 'auth-server', 'search', 'operations', 'registry', 'variant', 'keys'])(
    'is a command of trellis %s, which is named as it was called',
    async (name) => {
      expect(await run(name, 'help')).toBe(0);
      expect(output).toContain(`trellis ${name}`);
      expect(output + errors).not.toContain('npm run');
    },
  );

  it.each([
    ['supergraph', 'check', '--against'],
    ['auth-server', 'accounts add', '--email'],
  ])('of trellis %s explains %s', async (name, inner, option) => {
    expect(await run(name, 'help', ...inner.split(' '))).toBe(0);
    expect(output).toContain(option);
    expect(output).not.toMatch(/explain OPERATION|clients add/);
  });

  it('names npm run supergraph where that was called', async () => {
    vi.stubEnv('npm_lifecycle_event', 'supergraph');
    expect(await run('supergraph', 'chekc')).toBe(64);
    expect(errors).toContain('Help: npm run supergraph -- --help');
  });

  it('of trellis auth-server has the arguments of each command', async () => {
    await run('auth-server', '--help');
    expect(output).toMatch(/^ {2}accounts add --email E --name N/m);
  });
});

describe('trellis search rebuild', () => {
  it('says how the platform is started where none runs', async () => {
    for (const name of ['DATABASE_URL', 'SEARCH_DATABASE_URL']) vi.stubEnv(name, undefined);
    vi.stubEnv('DATA_DIR', folder);
    expect(await run('search', 'rebuild')).toBe(78);
    expect(errors.split('\n')).toEqual([
      'No index: no platform runs on this data directory (DATA_DIR), and DATABASE_URL is not set.',
      'Is the platform running? Start it with: npm start',
      '',
    ]);
  });
});

describe('--json', () => {
  const config = (): readonly string[] => ['--config', join(folder, 'supergraph.yaml')];
  const supergraph = (): string => join(folder, 'supergraph.graphql');

  const schema = (version: string): string => {
    const file = join(folder, 'b.graphql');
    writeFileSync(file, `type Query { ${version.replace(' ', ': Int ')}: Int }`);
    return file;
  };
  const subgraph = (version: string): readonly string[] => [
    '--subgraph',
    'b',
    '--schema',
    schema(version),
    '--routing-url',
    'http://b',
  ];
  const graph = ['--graph', 'a@staging'];

  beforeAll(async () => {
    await run('keys', 'new', '--file', join(folder, 'key.json'));
    vi.stubEnv('TRELLIS_SIGNING_KEY', join(folder, 'key.json'));
    vi.stubEnv('TRELLIS_REGISTRY', join(folder, 'registry'));
    await run('registry', 'init');
    await run('publish', ...graph, ...subgraph('y'));
    vi.unstubAllEnvs();
  });
  beforeEach(() => {
    vi.stubEnv('TRELLIS_SIGNING_KEY', join(folder, 'key.json'));
    vi.stubEnv('TRELLIS_REGISTRY', join(folder, 'registry'));
  });

  /** They need a running platform: e2e/lifecycle/token-command.test.ts tries them. */
  const others = { 'auth-server': undefined, search: undefined, token: undefined };

  /** By command. */
  const calls: Readonly<Record<string, (() => readonly string[]) | undefined>> = {
    compose: () => [...config(), '--output', supergraph(), '--release', join(folder, 'release.json')],
    supergraph: () => ['compose', ...config(), '--output', supergraph()],
    check: () => [...config(), '--against', supergraph()],
    lint: config,
    explain: () => [join(folder, 'operation.graphql'), '--supergraph', supergraph()],
    operations: () => ['list', '--from', folder],
    secrets: () => [],
    registry: () => ['init', '--registry', join(folder, 'registry')],
    publish: () => [...graph, ...subgraph('y z')],
    promote: () => ['a@staging', 'a@production'],
    history: () => graph,
    diff: () => graph,
    verify: () => graph,
    status: () => [],
    rollback: () => graph,
    variant: () => ['set', 'canary', ...graph, '--from', 'production', '--percent', '0'],
    keys: () => ['new'],
    ...others,
  };

  it('is known of every command', () => {
    const withJson = cliCommands.filter(({ json }) => json !== undefined).map(({ name }) => name);
    expect(Object.keys(calls).toSorted()).toEqual(withJson.toSorted());
  });

  it.each(Object.entries(calls).filter(([, call]) => call))(
    'of %s is an object on standard output',
    async (name, call) => {
      expect([await run(name, ...(call?.() ?? []), '--json'), errors]).toEqual([0, '']);
      expect(JSON.parse(output)).toBeTypeOf('object');
    },
  );

  it.each([
    ['check', () => [...config(), '--against', supergraph()]],
    ['publish', () => [...graph, ...subgraph('y z')]],
    ['promote', () => ['a@staging', 'a@production']],
  ])('or not, %s names a database of operations that is unreachable', async (name, call) => {
    const unreachable = ['--operations', 'postgresql://user:secret@127.0.0.1:1/none'];
    expect(await run(name, ...call(), ...unreachable)).toBe(69);
    expect(output + errors).toMatch(/DATABASE_UNAVAILABLE: .*127\.0\.0\.1/);
    expect(output + errors).not.toMatch(/secret|^ +at /m);
  });
});
