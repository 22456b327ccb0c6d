import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeVerdict, type ReleaseVerdict } from '@trellis/release-verdict';
import { runTrellis } from '../trellis.ts';

const USERS = 'type Query { me: User } type User @key(fields: "id") { id: ID! name: String bio: String }';
const POSTS =
  'type Query { posts: [Post] } type Post { id: ID! title: String author: User } type User @key(fields: "id") { id: ID! }';
const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])\n';

let folder: string;
let registry: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-commands-'));
  const { out } = await trellis('keys', 'new', '--format', 'json');
  const { signingKey, trust } = JSON.parse(out) as { signingKey: unknown; trust: unknown };
  vi.stubEnv('TRELLIS_SIGNING_KEY', JSON.stringify(signingKey));
  vi.stubEnv('TRELLIS_REGISTRY_TRUST', JSON.stringify(trust));
  vi.stubEnv('TRELLIS_GRAPH', 'content@production');
  vi.stubEnv('TRELLIS_ACTOR', 'ada');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

beforeEach(async () => {
  registry = join(folder, `registry-${(count += 1)}`);
  vi.stubEnv('TRELLIS_REGISTRY', registry);
  await trellis('registry', 'init');
});

afterEach(() => {
  process.exitCode = undefined;
});

/** Set by the command: the compiler takes it for what it was before. */
function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

async function trellis(...args: readonly string[]): Promise<Ran> {
  let [out, error] = ['', ''];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true)),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((error += String(text)), true)),
  ];
  try {
    process.exitCode = undefined;
    const status = await runTrellis(args);
    return { status: status || exitCode(), out, error };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

async function publish(name: string, sdl: string, ...more: readonly string[]): Promise<Ran> {
  const schema = await write(`${name}.graphql`, LINK + sdl);
  return trellis(
    'publish',
    '--subgraph',
    name,
    '--schema',
    schema,
    '--routing-url',
    `http://${name}.test/graphql`,
    ...more,
  );
}

/** Composers differ in it: a union in one subgraph, and a member of it in the other. */
const CATALOG =
  'type Query { m: M @federation__shareable } type Book { id: ID! @federation__shareable } type Mag { id: ID! } union M = Book | Mag';
const BOOKS = 'type Query { m: Book @federation__shareable } type Book { id: ID! @federation__shareable }';
const VERSION = expect.stringMatching(/^\d+\.\d+\.\d+$/) as string;

async function differingConfig(): Promise<string> {
  const subgraphs = Object.entries({ catalog: CATALOG, books: BOOKS }).map(([name, sdl]) => [
    name,
    { routing_url: `http://${name}.test/graphql`, schema: { sdl: LINK + sdl } },
  ]);
  return write('differing.yaml', JSON.stringify({ subgraphs: Object.fromEntries(subgraphs) as object }));
}

interface StoredRelease {
  readonly hints: readonly string[];
  readonly composers: Readonly<Record<string, string>>;
}

async function releases(): Promise<readonly StoredRelease[]> {
  const blobs = (await filesOf()).filter((file) => file.startsWith('blobs/sha256/'));
  const texts = await Promise.all(blobs.map((file) => readFile(join(registry, file), 'utf8')));
  return texts
    .filter((text) => text.includes('"composers"'))
    .map((text) => JSON.parse(text) as StoredRelease);
}

async function filesOf(): Promise<readonly string[]> {
  return (await readdir(registry, { recursive: true })).toSorted();
}

/** Of the verdicts of the records, the newest first. */
async function verdictDigests(): Promise<readonly (string | undefined)[]> {
  const { out } = await trellis('history', '--format', 'json');
  const { records } = JSON.parse(out) as { records: { verdict?: { digest: string } }[] };
  return records.map(({ verdict }) => verdict?.digest);
}

async function verdictsOf(): Promise<readonly (ReleaseVerdict | undefined)[]> {
  const read = async (digest: string | undefined): Promise<ReleaseVerdict | undefined> =>
    digest === undefined
      ? undefined
      : decodeVerdict(await readFile(join(registry, 'blobs/sha256', digest), 'utf8'));
  return Promise.all((await verdictDigests()).map(read));
}

describe('trellis publish', () => {
  it('appends releases, each a whole graph', async () => {
    expect(await publish('users', USERS)).toMatchObject({
      status: 0,
      out: /^published: content@production 1, release [0-9a-f]{12}\n$/,
    });
    const { status, out } = await publish(
      'posts',
      POSTS,
      '--version',
      '1.2.0',
      '--commit',
      'abc',
      '--format',
      'json',
    );
    expect([status, JSON.parse(out)]).toMatchObject([
      0,
      {
        format: 'trellis-registry-outcome/1',
        exit: 0,
        outcome: 'published',
        record: { sequence: 2, action: 'publish', actor: 'ada' },
        report: { command: 'check' },
      },
    ]);
    const supergraph = await trellis('compose', '--graph', 'content@production');
    expect(supergraph.out).toContain('POSTS @join__graph(name: "posts", url: "http://posts.test/graphql")');
  });

  it('warns where two composers differ, and the release says so', async () => {
    await publish('catalog', CATALOG);
    const warned = await publish('books', BOOKS);
    expect(warned).toMatchObject({ status: 0, out: /^warning: COMPOSERS_DIFFER: .*Query\.m:\n/ });
    expect(warned.out).toMatch(
      /@apollo\/composition: M @join__field.*\n.*@theguild\/federation-composition: \w+\n/,
    );
    expect(warned.out).toContain('published: content@production 2,');
    const release = (await releases()).find(({ hints }) => hints.length > 0);
    expect(release?.hints[0]).toMatch(/^COMPOSERS_DIFFER: /);
    expect(release?.composers).toEqual({
      '@apollo/composition': VERSION,
      '@theguild/federation-composition': VERSION,
    });
  });

  it('warns of a first release, without a comparison', async () => {
    const config = await differingConfig();
    expect(await trellis('publish', '--config', config)).toMatchObject({
      status: 0,
      out: /^warning: COMPOSERS_DIFFER: [^]*\npublished: content@production 1, release [0-9a-f]{12}\n$/,
    });
  });

  it('publishes nothing that composers differ in where it is strict, and asks one alone if wanted', async () => {
    const config = await differingConfig();
    expect(await trellis('publish', '--config', config, '--composers', 'strict')).toMatchObject({
      status: 1,
      out: /^error: COMPOSERS_DIFFER: [^]*\nrejected: nothing was changed\.\n$/,
    });
    expect(await trellis('publish', '--config', config, '--composers', 'other')).toMatchObject({
      status: 64,
    });
    const alone = await trellis('publish', '--config', config, '--composers', 'apollo');
    expect(alone).toMatchObject({ status: 0, out: /^published: content@production 1,/ });
    const [release] = await releases();
    expect(release?.composers).toEqual({ '@apollo/composition': VERSION });
  });

  it('says that the same was published already, whatever the build', async () => {
    await publish('users', USERS, '--commit', 'abc');
    const files = await filesOf();
    expect(await publish('users', USERS, '--commit', 'def')).toMatchObject({
      status: 0,
      out: /^already published: content@production 1,/,
    });
    expect(await filesOf()).toEqual(files);
  });

  it.each([
    [
      'does not compose',
      'type Query { me: Missing }',
      /users\.graphql:2:18: INVALID_GRAPHQL: \[users\] Unknown type Missing/,
    ],
    ['is no GraphQL', 'type {', /users\.graphql:2:6: INVALID_GRAPHQL/],
    ['breaks clients', USERS.replace('bio: String', ''), /breaking: User\.bio: FIELD_REMOVED/],
  ])('changes nothing where it %s', async (_title, sdl, message) => {
    await publish('users', USERS);
    const files = await filesOf();
    const { status, out } = await publish('users', sdl);
    expect([status, out]).toEqual([1, expect.stringMatching(message)]);
    expect(out).toContain('rejected: nothing was changed.');
    expect(await filesOf()).toEqual(files);
  });

  it('records who approved what broke', async () => {
    await publish('users', USERS);
    const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const approvals = await write(
      'checks.yaml',
      `approvals:\n  - { change: FIELD_REMOVED User.bio, reason: unused, owner: team-users, expires: ${expires} }\n`,
    );
    const { status } = await publish('users', USERS.replace('bio: String', ''), '--approvals', approvals);
    const { out } = await trellis('history', '--format', 'json');
    expect([status, JSON.parse(out)]).toMatchObject([
      0,
      { records: [{ approvals: [{ change: 'FIELD_REMOVED User.bio', owner: 'team-users', expires }] }, {}] },
    ]);
  });

  it('stores what was judged of a release with its record, and gc leaves it', async () => {
    await publish('users', USERS);
    await publish('users', USERS.replace('name: String', 'name: String age: Int'));
    await trellis('registry', 'gc', '--older-than', '0');
    const [judged, first] = await verdictsOf();
    expect(first).toBeUndefined();
    expect(judged).toMatchObject({
      counts: { breaking: 0, safe: 2 },
      changes: [{ coordinate: 'User.age' }, { coordinate: 'users' }],
      order: { verdict: 'ordered', steps: [{ action: 'deploy', subgraph: 'users' }, { action: 'publish' }] },
    });
  });

  it('removes a subgraph', async () => {
    await publish('users', USERS);
    await publish('posts', POSTS.replace('author: User', '').replace(/type User.*/, ''));
    const unused = await write('unused.json', '{"format":"trellis-operations/1","complete":true}\n');
    const removed = await trellis('publish', '--subgraph', 'posts', '--remove', '--operations', unused);
    const rejected = await trellis('publish', '--subgraph', 'posts', '--remove');
    expect([removed.status, rejected.status, rejected.out]).toMatchObject([0, 1, '']);
    expect(rejected.error).toContain('NOT_FOUND: content@production has no subgraph "posts".');
  });

  it('publishes a whole configuration', async () => {
    await write('a.graphql', LINK + USERS);
    const config = await write(
      'supergraph.yaml',
      'subgraphs:\n  users: { routing_url: "http://u/", schema: { file: a.graphql } }\n',
    );
    expect((await trellis('publish', '--config', config)).out).toMatch(/^published: content@production 1/);
  });

  it('is rejected where the subgraphs that run do not serve it', async () => {
    await publish('users', USERS);
    const runs = await write('running.graphql', LINK + USERS);
    const { status, out } = await publish(
      'users',
      USERS.replace('bio: String', 'bio: String age: Int'),
      '--deployed',
      `users=${runs}`,
    );
    expect([status, out]).toEqual([1, expect.stringMatching(/not served: users as it runs fails: .*age/)]);
  });
});

describe('trellis rollback', () => {
  it('appends a higher sequence with the older release', async () => {
    await publish('users', USERS);
    await publish('users', USERS.replace('bio: String', 'bio: String age: Int'));
    expect(await trellis('rollback')).toMatchObject({
      status: 0,
      out: /^rolled back: content@production 3, /,
    });
    expect((await trellis('rollback', '--to', '1')).out).toMatch(/^already served: content@production 3/);
    expect((await trellis('history')).out).toMatch(
      / 3: rollback of production 1, .*\n.* 2: publish.*\n.* 1: publish/,
    );
    expect(await trellis('rollback', '--to', '9')).toMatchObject({
      status: 1,
      error: /NOT_FOUND: .* no record "9"/,
    });
  });

  it('is rejected where what runs no longer serves it', async () => {
    await publish('users', USERS);
    const approvals = await write('none.json', '{"format":"trellis-operations/1","complete":true}\n');
    await publish('users', USERS.replace('bio: String', ''), '--operations', approvals);
    const { status, out } = await trellis('rollback');
    expect([status, out]).toEqual([1, expect.stringMatching(/not served: users as it runs fails: .*bio/)]);
    const old = await write('old.graphql', LINK + USERS);
    expect((await trellis('rollback', '--deployed', `users=${old}`)).status).toBe(0);
  });
});

describe('trellis promote', () => {
  it('moves what was tested, under the rules of publish', async () => {
    const staging = ['--graph', 'content@staging'];
    await publish('users', USERS, ...staging);
    expect((await trellis('promote', 'staging', 'production')).out).toMatch(
      /^promoted: content@production 1,/,
    );
    expect((await trellis('promote', 'content@staging', 'content@production')).out).toMatch(
      /^already served/,
    );
    const unused = await write('unused.json', '{"format":"trellis-operations/1","complete":true}\n');
    await publish('users', USERS.replace('bio: String', ''), '--operations', unused, ...staging);
    const rejected = await trellis('promote', 'staging', 'production');
    expect([rejected.status, rejected.out]).toEqual([1, expect.stringContaining('breaking: User.bio')]);
    expect((await trellis('promote', 'staging', 'production', '--operations', unused)).status).toBe(0);
    expect((await trellis('status')).out).toMatch(
      /content@production 2: promote of staging 2.*\ncontent@staging 2: publish/,
    );
  });

  it('stores what was judged against the environment that it is promoted to', async () => {
    const staging = ['--graph', 'content@staging'];
    await publish('users', USERS, ...staging);
    await trellis('promote', 'staging', 'production');
    await publish('users', USERS.replace('bio: String', 'bio: String age: Int'), ...staging);
    await publish('users', USERS.replace('bio: String', 'bio: String age: Int size: Int'), ...staging);
    await trellis('promote', 'staging', 'production');
    const [promoted, first] = await verdictsOf();
    expect([promoted?.changes.map(({ coordinate }) => coordinate), first]).toEqual([
      ['User.age', 'User.size', 'users'],
      undefined,
    ]);
  });
});

describe('trellis diff, check and verify', () => {
  it('compare with the log', async () => {
    await publish('users', USERS);
    await publish('users', USERS.replace('bio: String', 'bio: String age: Int'));
    const { out } = await trellis('diff', '--format', 'json');
    expect(JSON.parse(out)).toMatchObject({
      subgraphs: [{ name: 'users', change: 'schema changed' }],
      report: { changes: [{ code: 'FIELD_ADDED', coordinate: 'User.age' }, { code: 'DEPLOY_FIRST' }] },
    });
    const schema = await write('users.graphql', LINK + USERS);
    const checked = await trellis(
      'check',
      '--graph',
      'content@production',
      '--subgraph',
      'users',
      '--schema',
      schema,
    );
    expect([checked.status, checked.out]).toEqual([
      1,
      expect.stringContaining('breaking: User.age: FIELD_REMOVED'),
    ]);
    expect((await trellis('verify')).out).toMatch(/^verified: content@production, records: 2, /);
  });

  it('pass over a verdict that is missing, and not over one that was altered', async () => {
    await publish('users', USERS);
    await publish('users', USERS.replace('bio: String', 'bio: String age: Int'));
    const file = join(registry, 'blobs/sha256', (await verdictDigests())[0] ?? '');
    await truncate(file, 3);
    expect(await trellis('verify')).toMatchObject({
      status: 77,
      out: /^damaged: content@production, records: 2, .*\n {2}BLOB_ALTERED: /,
    });
    await rm(file);
    expect(await trellis('verify')).toMatchObject({
      status: 0,
      out: /^verified: content@production, records: 2, /,
    });
  });

  it('list all damage', async () => {
    await publish('users', USERS);
    const files = (await filesOf()).filter((file) => /[0-9a-f]{64}$/.test(file));
    for (const file of files) await truncate(join(registry, file), 3);
    const { status, out } = await trellis('verify');
    expect([status, out]).toEqual([77, expect.stringMatching(/^damaged: .*\n {2}BLOB_ALTERED: /)]);
    expect(await publish('users', USERS)).toMatchObject({ status: 77, error: /^BLOB_ALTERED/ });
  });
});

describe('trellis registry gc', () => {
  it('deletes texts that no record names, once they are old', async () => {
    await publish('users', USERS);
    const digest = 'a'.repeat(64);
    await writeFile(join(registry, 'blobs/sha256', digest), 'left by a publisher that was killed');
    expect((await trellis('registry', 'gc')).out).toMatch(/^0 of \d texts/);
    expect((await trellis('registry', 'gc', '--older-than', '0', '--dry-run')).out).toMatch(
      /^1 of \d texts would/,
    );
    expect((await trellis('registry', 'gc', '--older-than', '0')).out).toMatch(/^1 of \d texts/);
    expect((await trellis('verify')).status).toBe(0);
  });
});

describe('trellis keys', () => {
  it('writes a private key for its owner alone, and over no other file', async () => {
    const file = join(folder, 'key.json');
    expect((await trellis('keys', 'new', '--file', file)).out).not.toContain('"d"');
    expect([(await stat(file)).mode & 0o777, await readFile(file, 'utf8')]).toEqual([
      0o600,
      expect.stringContaining('"d"'),
    ]);
    expect(await trellis('keys', 'new', '--file', file)).toMatchObject({ status: 1, out: '' });
  });

  it('replaces the key of a log: the old one signs no more', async () => {
    await publish('users', USERS);
    const key = join(folder, 'next.json');
    const trust = await write('next-trust.json', (await trellis('keys', 'new', '--file', key)).out);
    expect((await trellis('keys', 'replace', '--with', trust)).status).toBe(0);
    const more = USERS.replace('bio: String', 'bio: String age: Int');
    expect(await publish('users', more)).toMatchObject({
      status: 77,
      error: /^UNTRUSTED_KEY: The signing key/,
    });
    expect((await publish('users', more, '--key', key)).status).toBe(0);
    expect((await trellis('verify')).status).toBe(0);
  });
});

describe('commands of a registry', () => {
  it.each<[string, number, RegExp, readonly string[]]>([
    [
      'another place',
      69,
      /^NO_REGISTRY: .*trellis registry init/,
      ['history', '--registry', '/nowhere/at/all'],
    ],
    ['a kind of place that is not known', 64, /^INVALID_NAME/, ['history', '--registry', 'ftp://x/y']],
    ['a name that is none', 64, /^INVALID_NAME/, ['history', '--graph', '../..@x']],
    ['a form that is none', 64, /^--format is one of/, ['history', '--format', 'xml']],
    ['an option that is none', 64, /unknown option/, ['history', '--nonsense']],
    ['nothing to publish', 64, /^INVALID_NAME: Say what/, ['publish']],
    ['a key that is none', 77, /^INVALID_KEY/, ['history', '--trust', '{}']],
    ['a file that is missing', 1, /ENOENT/, ['publish', '--subgraph', 'a', '--schema', '/nowhere']],
  ])('end with a status for %s', async (_title, status, error, args) => {
    expect(await trellis(...args)).toMatchObject({ status, error });
  });

  it('escape hostile names in every form', async () => {
    const name = '\u001B[31m\u202Eeve](http://evil)<img>|::error::\n@team';
    await publish('users', USERS, '--actor', name);
    const text = (await trellis('history')).out;
    const markdown = (await trellis('history', '--format', 'markdown')).out;
    for (const character of ['\u001B', '\u202E']) expect(text).not.toContain(character);
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    for (const part of ['\u001B', '<img', '@team', '://']) expect(markdown).not.toContain(part);
    expect(JSON.parse((await trellis('history', '--format', 'json')).out)).toMatchObject({
      records: [{ actor: name }],
    });
  });
});
