import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LINK } from '../../testing/federation-link.ts';
import { FolderRegistry } from '../../testing/folder-registry.ts';
import { trellis } from '../../testing/run-command.ts';

const USERS = print(gql`
  type Query {
    me: User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String
    bio: String
  }
`);

let registry: FolderRegistry;

beforeAll(async () => {
  registry = await FolderRegistry.create();
});
afterAll(() => registry.close());
beforeEach(() => registry.begin());

describe('trellis rollback', () => {
  it('appends a higher sequence with the older release', async () => {
    await registry.publish('users', USERS);
    await registry.publish('users', USERS.replace('bio: String', 'bio: String age: Int'));
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
    await registry.publish('users', USERS);
    const approvals = await registry.write(
      'none.json',
      '{"format":"trellis-operations/1","complete":true}\n',
    );
    await registry.publish('users', USERS.replace('bio: String', ''), '--operations', approvals);
    const { status, out } = await trellis('rollback');
    expect([status, out]).toEqual([1, expect.stringMatching(/not served: users as it runs fails: .*bio/)]);
    const old = await registry.write('old.graphql', LINK + USERS);
    expect((await trellis('rollback', '--deployed', `users=${old}`)).status).toBe(0);
  });
});

describe('trellis promote', () => {
  it('moves what was tested, under the rules of publish', async () => {
    const staging = ['--graph', 'content@staging'];
    await registry.publish('users', USERS, ...staging);
    expect((await trellis('promote', 'staging', 'production')).out).toMatch(
      /^promoted: content@production 1,/,
    );
    expect((await trellis('promote', 'content@staging', 'content@production')).out).toMatch(
      /^already served/,
    );
    const unused = await registry.write('unused.json', '{"format":"trellis-operations/1","complete":true}\n');
    await registry.publish('users', USERS.replace('bio: String', ''), '--operations', unused, ...staging);
    const rejected = await trellis('promote', 'staging', 'production');
    expect([rejected.status, rejected.out]).toEqual([1, expect.stringContaining('breaking: User.bio')]);
    expect((await trellis('promote', 'staging', 'production', '--operations', unused)).status).toBe(0);
    expect((await trellis('status')).out).toMatch(
      /content@production 2: promote of staging 2.*\ncontent@staging 2: publish/,
    );
  });

  it('moves a break that was approved, and records who approved it', async () => {
    const staging = ['--graph', 'content@staging'];
    const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const approvals = await registry.write(
      'approvals.yaml',
      `approvals:\n  - { change: FIELD_REMOVED User.bio, reason: unused, owner: team-users, expires: ${expires} }\n`,
    );
    await registry.publish('users', USERS, ...staging);
    await trellis('promote', 'staging', 'production');
    await registry.publish('users', USERS.replace('bio: String', ''), '--approvals', approvals, ...staging);
    expect((await trellis('promote', 'staging', 'production')).status).toBe(1);
    expect((await trellis('promote', 'staging', 'production', '--approvals', approvals)).status).toBe(0);
    expect(JSON.parse((await trellis('history', '--format', 'json')).out)).toMatchObject({
      records: [
        {
          action: 'promote',
          approvals: [{ change: 'FIELD_REMOVED User.bio', owner: 'team-users', expires }],
        },
        { approvals: [] },
      ],
    });
  });

  it('goes by the limits that are in force where it goes', async () => {
    const staging = ['--graph', 'content@staging'];
    const sdl =
      LINK.replace('"@key"', '"@key", "@cost"') + USERS.replace('me: User', 'all(first: Int): [User]');
    const clients = [{ name: 'web', requests: 5 }];
    const document = 'query($n: Int) { all(first: $n) { name } }';
    const recorded = [
      { format: 'trellis-operations/1', complete: true },
      { id: 'all', document, clients, slices: [{ n: 100 }] },
    ];
    const operations = await registry.write(
      'all.jsonl',
      recorded.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    const schema = await registry.write('costs.graphql', sdl);
    const place = ['--schema', schema, '--routing-url', 'http://users.test/graphql'];
    const publish = ['publish', '--subgraph', 'users', ...place, ...staging];
    await trellis(...publish);
    await trellis('promote', 'staging', 'production');
    await registry.write('costs.graphql', sdl.replace('name: String', 'name: String @cost(weight: 50)'));
    await trellis(...publish);
    const limits = await registry.write('gateway.yaml', 'limits: { cost: 1000 }\n');
    const promote = ['promote', 'staging', 'production', '--operations', operations, '--limits', limits];
    expect(await trellis(...promote)).toMatchObject({ status: 1, out: /^breaking: .*COST/m });
    await registry.write('gateway.yaml', 'limits: { cost: 1000000 }\n');
    expect((await trellis(...promote)).status).toBe(0);
  });

  it('stores what was judged against the environment that it is promoted to', async () => {
    const staging = ['--graph', 'content@staging'];
    await registry.publish('users', USERS, ...staging);
    await trellis('promote', 'staging', 'production');
    await registry.publish('users', USERS.replace('bio: String', 'bio: String age: Int'), ...staging);
    await registry.publish(
      'users',
      USERS.replace('bio: String', 'bio: String age: Int size: Int'),
      ...staging,
    );
    await trellis('promote', 'staging', 'production');
    const [promoted, first] = await registry.verdicts();
    expect([promoted?.changes.map(({ coordinate }) => coordinate), first]).toEqual([
      ['User.age', 'User.size', 'users'],
      undefined,
    ]);
  });
});

describe('trellis diff, check and verify', () => {
  it('compare with the log', async () => {
    await registry.publish('users', USERS);
    await registry.publish('users', USERS.replace('bio: String', 'bio: String age: Int'));
    const { out } = await trellis('diff', '--format', 'json');
    expect(JSON.parse(out)).toMatchObject({
      subgraphs: [{ name: 'users', change: 'schema changed' }],
      report: { changes: [{ code: 'FIELD_ADDED', coordinate: 'User.age' }, { code: 'DEPLOY_FIRST' }] },
    });
    const schema = await registry.write('users.graphql', LINK + USERS);
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
    await registry.publish('users', USERS);
    await registry.publish('users', USERS.replace('bio: String', 'bio: String age: Int'));
    const file = join(registry.path, 'blobs/sha256', (await registry.verdictDigests())[0] ?? '');
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
    await registry.publish('users', USERS);
    const files = (await registry.files()).filter((file) => /[0-9a-f]{64}$/.test(file));
    for (const file of files) await truncate(join(registry.path, file), 3);
    const { status, out } = await trellis('verify');
    expect([status, out]).toEqual([77, expect.stringMatching(/^damaged: .*\n {2}BLOB_ALTERED: /)]);
    expect(await registry.publish('users', USERS)).toMatchObject({ status: 77, error: /^BLOB_ALTERED/ });
  });
});

describe('trellis registry gc', () => {
  it('deletes texts that no record names, once they are old', async () => {
    await registry.publish('users', USERS);
    const digest = 'a'.repeat(64);
    await writeFile(join(registry.path, 'blobs/sha256', digest), 'left by a publisher that was killed');
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
    const file = join(registry.folder, 'key.json');
    expect((await trellis('keys', 'new', '--file', file)).out).not.toContain('"d"');
    expect([(await stat(file)).mode & 0o777, await readFile(file, 'utf8')]).toEqual([
      0o600,
      expect.stringContaining('"d"'),
    ]);
    expect(await trellis('keys', 'new', '--file', file)).toMatchObject({ status: 1, out: '' });
  });

  it('replaces the key of a log: the old one signs no more', async () => {
    await registry.publish('users', USERS);
    const key = join(registry.folder, 'next.json');
    const trust = await registry.write('next-trust.json', (await trellis('keys', 'new', '--file', key)).out);
    expect((await trellis('keys', 'replace', '--with', trust)).status).toBe(0);
    const more = USERS.replace('bio: String', 'bio: String age: Int');
    expect(await registry.publish('users', more)).toMatchObject({
      status: 77,
      error: /^UNTRUSTED_KEY: The signing key/,
    });
    expect((await registry.publish('users', more, '--key', key)).status).toBe(0);
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
    [
      'a file that is missing',
      1,
      /^There is no file or directory for \/nowhere\.\n$/,
      ['publish', '--subgraph', 'a', '--schema', '/nowhere'],
    ],
    [
      'a folder for a file',
      1,
      /^\/ is a directory, not a file\.\n$/,
      ['publish', '--subgraph', 'a', '--schema', '/'],
    ],
    [
      'a place that is missing',
      1,
      /^There is no file or directory for \/no\/file\.\n$/,
      ['registry', 'init', '--output', '/no/file'],
    ],
  ])('end with a status for %s', async (_title, status, error, args) => {
    expect(await trellis(...args)).toMatchObject({ status, error });
  });

  it('escape hostile names in every form', async () => {
    const name = '\u001B[31m\u202Eeve](http://evil)<img>|::error::\n@team';
    await registry.publish('users', USERS, '--actor', name);
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
