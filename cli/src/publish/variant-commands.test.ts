import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LINK } from '../../testing/federation-link.ts';
import { FolderRegistry } from '../../testing/folder-registry.ts';
import { trellis, type CommandRun } from '../../testing/run-command.ts';

const USERS = print(gql`
  ${LINK}
  type Query {
    me: User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String
  }
`);

let registry: FolderRegistry;
let gateway: Server;
let serves: unknown = {};

beforeAll(async () => {
  registry = await FolderRegistry.create();
  await registry.begin();
  for (const [graph, sdl] of [
    ['content@production', USERS],
    ['content@staging', USERS.replace('name: String', 'name: String age: Int')],
    ['content@broken', USERS.replace('name: String', 'age: Int')],
  ] as const) {
    const schema = join(registry.folder, `${graph}.graphql`);
    await writeFile(schema, sdl);
    const place = ['--schema', schema, '--routing-url', 'http://users.test/graphql', '--graph', graph];
    await trellis('publish', '--subgraph', 'users', ...place);
  }
  gateway = createServer((_request, response) => response.end(JSON.stringify(serves))).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
});
afterAll(async () => {
  gateway.close();
  await registry.close();
});

async function variants(): Promise<unknown> {
  const { records } = JSON.parse((await trellis('history', '--json')).out) as {
    readonly records: readonly { readonly variants: unknown; readonly action: string }[];
  };
  return { action: records[0]?.action, variants: records[0]?.variants };
}

describe('trellis variant', () => {
  it('starts a canary, changes its share and ends it', async () => {
    const started = await trellis(
      'variant',
      'set',
      'canary',
      '--from',
      'staging',
      '--percent',
      '5',
      '--aborts',
    );
    expect(started).toMatchObject({
      status: 0,
      out: 'variant canary set: content@production 2, variants: canary\n',
    });
    await trellis('variant', 'set', 'canary', '--percent', '50', '--aborts');
    expect(await variants()).toMatchObject({
      action: 'canary',
      variants: [{ name: 'canary', rule: { kind: 'percent', percent: 50 }, abortsItself: true }],
    });
    expect((await trellis('variant', 'remove', 'canary')).out).toContain('variants: none');
    expect(await trellis('variant', 'remove', 'canary')).toMatchObject({ status: 1, error: /^NOT_FOUND/ });
  });

  it('outlives a publication of another team, and ends with a decision on the whole graph', async () => {
    const schema = join(registry.folder, 'with-nick.graphql');
    await writeFile(schema, USERS.replace('name: String', 'name: String nick: String'));
    await trellis('variant', 'set', 'canary', '--from', 'staging', '--percent', '5', '--aborts');
    await trellis('publish', '--subgraph', 'users', '--schema', schema);
    expect(await variants()).toMatchObject({ action: 'publish', variants: [{ name: 'canary' }] });
    await trellis('rollback');
    expect(await variants()).toEqual({ action: 'rollback', variants: [] });
  });

  it('takes each rule alone, and a release that breaks clients of the main one not at all', async () => {
    const set = ['variant', 'set', 'preview', '--from', 'staging'];
    expect((await trellis(...set, '--header', 'X-Preview=on', '--client', 'tests')).status).toBe(0);
    expect(await variants()).toMatchObject({
      variants: [{ rule: { kind: 'header', header: 'x-preview', value: 'on', clients: ['tests'] } }],
    });
    for (const wrong of [
      [],
      ['--percent', '101'],
      ['--host', 'a', '--percent', '1'],
      ['--host', 'a', '--aborts'],
      ['--claim', 'x'],
    ])
      expect(await trellis(...set, ...wrong)).toMatchObject({ status: 64, error: /^INVALID_NAME/ });
    expect(await trellis('variant', 'set', 'new', '--percent', '1')).toMatchObject({
      status: 64,
      error: /--from/,
    });
    const broken = await trellis('variant', 'set', 'bad', '--from', 'broken', '--percent', '1');
    expect(broken).toMatchObject({ status: 1, out: /FIELD_REMOVED/ });
  });

  it.each([
    ['a/b', 'name', '--percent', '5'],
    ['', 'name', '--percent', '5'],
    ['odd', 'rule.header', '--header', 'x y=1'],
    ['odd', 'rule.value', '--header', 'x-preview=on\noff'],
    ['odd', 'rule.value', '--header', 'x-preview= '],
    ['odd', 'rule.host', '--host', 'a b/c'],
    ['odd', 'rule.host', '--host', 'preview.example:8443'],
  ])('rejects %j before it compares anything', async (name, member, ...rule) => {
    expect(await trellis('variant', 'set', name, '--from', 'broken', ...rule)).toMatchObject({
      status: 64,
      out: '',
      error: expect.stringContaining(`INVALID_NAME: The variant is invalid: ${member}: `) as string,
    });
  });

  it('starts with a break that was approved, and records who approved it', async () => {
    const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const approvals = join(registry.folder, 'approvals.yaml');
    const approve = (until: string): Promise<void> =>
      writeFile(
        approvals,
        `approvals: [{ change: FIELD_REMOVED User.name, reason: unused, owner: team-users, expires: ${until} }]`,
      );
    const schema = join(registry.folder, 'slim.graphql');
    await writeFile(schema, USERS.replace('name: String', ''));
    const place = ['--schema', schema, '--routing-url', 'http://users.test/graphql'];
    await trellis('publish', '--subgraph', 'users', ...place, '--graph', 'content@slim');
    const set = ['variant', 'set', 'bad', '--from', 'slim', '--percent', '1', '--approvals', approvals];
    await approve('2020-01-01');
    expect((await trellis(...set)).status).toBe(1);
    await approve(expires);
    expect((await trellis(...set)).status).toBe(0);
    const { records } = JSON.parse((await trellis('history', '--json')).out) as { records: unknown[] };
    expect(records[0]).toMatchObject({
      action: 'canary',
      approvals: [{ change: 'FIELD_REMOVED User.name', owner: 'team-users', expires }],
    });
    await trellis('variant', 'remove', 'bad');
  });

  it('takes eight at once, and a ninth when one of them has ended', async () => {
    const set = (name: string): Promise<CommandRun> =>
      trellis(
        'variant',
        'set',
        name,
        '--from',
        'staging',
        '--host',
        `${name}.test`,
        '--graph',
        'content@staging',
      );
    for (let count = 1; count <= 8; count += 1) expect((await set(`v${count}`)).status).toBe(0);
    expect(await set('v9')).toMatchObject({
      status: 1,
      error: /^TOO_MANY_VARIANTS: content@staging has 8 variants, .*: v1, v2, .*v8\. End one first\./,
    });
    expect((await set('v8')).status).toBe(0);
    await trellis('variant', 'remove', 'v1', '--graph', 'content@staging');
    expect((await set('v9')).status).toBe(0);
  });

  it('makes a token that its keys verify, for this graph and variant, and no longer than it says', async () => {
    const key = join(registry.folder, 'preview.json');
    const keys = JSON.parse((await trellis('keys', 'new', '--file', key)).out) as JSONWebKeySet;
    const { status, out } = await trellis(
      'variant',
      'token',
      'preview',
      '--preview-key',
      key,
      '--hours',
      '2',
    );
    const { payload } = await jwtVerify(out.trim(), createLocalJWKSet(keys), {
      audience: 'content@production',
      typ: 'trellis-preview+jwt',
    });
    expect([status, payload['variant'], Number(payload.exp) - Number(payload.iat)]).toEqual([
      0,
      'preview',
      7_200,
    ]);
    expect(out).not.toContain((JSON.parse(await readFile(key, 'utf8')) as { d: string }).d);
    const file = join(registry.folder, 'token.txt');
    await trellis('variant', 'token', 'preview', '--preview-key', key, '--output', file);
    expect((await stat(file)).mode & 0o777, 'it opens a variant to who reads it').toBe(0o600);
    expect(await trellis('variant', 'token', 'preview')).toMatchObject({
      status: 77,
      error: /^INVALID_KEY: Say which/,
    });
    expect((await trellis('variant', 'token', 'preview', '--preview-key', key, '--hours', '0')).status).toBe(
      64,
    );
  });
});

describe('trellis status --gateway', () => {
  const newest = async (): Promise<number> => {
    const { records } = JSON.parse((await trellis('history', '--json')).out) as {
      records: { sequence: number }[];
    };
    return records[0]?.sequence ?? 0;
  };
  const ask = (): Promise<CommandRun> =>
    trellis('status', '--gateway', `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`);

  it('says which record a gateway serves, and whether there is a newer one', async () => {
    const sequence = await newest();
    serves = { status: 'ready', supergraph: `production.${sequence}` };
    expect(await ask()).toMatchObject({
      status: 0,
      out: expect.stringMatching(/: serves production\.\d+\n$/),
    });
    serves = { status: 'ready', supergraph: 'production.1' };
    expect(await ask()).toMatchObject({
      status: 1,
      out: expect.stringContaining(`serves production.1, the newest is production.${sequence}`),
    });
  });

  it('says why nothing is known of one', async () => {
    serves = { status: 'ready' };
    expect(await ask()).toMatchObject({ status: 69, out: expect.stringContaining('it follows no registry') });
    serves = 'no health';
    expect(await ask()).toMatchObject({ status: 69, out: expect.stringContaining('no gateway') });
    expect((await trellis('status', '--gateway', 'http://127.0.0.1:1')).status).toBe(69);
  });
});

describe('trellis history --format html', () => {
  it('shows each record with what it changes, verdicts and the order of deployment, without a script', async () => {
    await trellis('promote', 'staging', 'production', '--actor', '<img src=x>');
    const { status, out } = await trellis('history', '--format', 'html');
    expect(status).toBe(0);
    expect(out).toContain('<h1>History of content@production</h1>');
    expect(out).toMatch(/<h2 id="record-(\d+)">\1: promote<\/h2>/);
    expect(out).toContain('schema changed: users');
    expect(out).toContain('<td class="safe">safe</td><td>User.age</td>');
    expect(out).toContain('The same release as before.');
    expect(out).toContain('<svg ');
    expect(out).toContain('&lt;img src=x&gt;');
    expect(out).not.toMatch(/<script|<img|javascript:/);
  });
});
