import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPool, migrate, type Pool } from '@trellis/postgres';
import { createRecordSigner, generateRecordKey, openRegistry, TrustedKeys } from '@trellis/registry';
import { createLogger } from '@trellis/runtime';
import { createTestDatabase, hasObjectStore, startTestObjectStore } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRegistryServer } from '../registry-server/registry-server.ts';
import { contractCommand, type ContractCall } from '../supergraph/contract-command.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { OutputOptions } from './command-outcome.ts';
import { diffCommand, historyCommand } from './history-commands.ts';
import { promoteCommand, rollbackCommand } from './move-commands.ts';
import { publishCommand, type PublishOptions } from './publish-command.ts';
import { runRegistryAction, type RegistryAction } from './run-registry-action.ts';
import { statusCommand } from './status-command.ts';
import { verifyCommand } from './verify-command.ts';

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@tag"])\n';
const USERS =
  'type Query { me: String shared: Int @tag(name: "partner") secret: Int @tag(name: "internal") }';
const MORE = USERS.replace('me:', 'more: Int me:');
const signal = AbortSignal.timeout(240_000);

let folder: string;
let env: Readonly<Record<string, string>>;
let count = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'contracts-'));
  const key = await generateRecordKey();
  env = {
    PATH: process.env['PATH'] ?? '',
    TRELLIS_SIGNING_KEY: JSON.stringify(key),
    TRELLIS_REGISTRY_TRUST: JSON.stringify({ keys: [key] }),
    TRELLIS_GRAPH: 'content@production',
    TRELLIS_ACTOR: 'ada',
    TRELLIS_REGISTRY_TOKEN: 'graph:read graph:publish:* graph:promote:*',
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

async function makeRegistry(place: string): Promise<void> {
  env = { ...env, TRELLIS_REGISTRY: place };
  await openRegistry(place, { environment: env }).initialize?.(signal);
}

beforeEach(() => makeRegistry(join(folder, String((count += 1)))));

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

async function run<Options extends object>(
  action: RegistryAction<Options>,
  options: NoInfer<Options> & OutputOptions,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  let [out, error] = ['', ''];
  const output = { out: (text: string) => (out += text), error: (text: string) => (error += text) };
  return { status: await runRegistryAction(action, options, { ...env, ...more }, output), out, error };
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const set = (contract: string, options: PublishOptions): Promise<Ran> =>
  run(publishCommand, { contract, ...options });

function publish(sdl: string, more: PublishOptions = {}): Promise<Ran> {
  const schema = write('users.graphql', LINK + sdl);
  return run(publishCommand, { subgraph: 'users', schema, routingUrl: 'http://users.test/', ...more });
}

async function contract(name?: string, more: Partial<ContractCall> = {}) {
  let [out, error] = ['', ''];
  const call = { config: 'supergraph.yaml', graph: 'content@production', name, ...more };
  await contractCommand(call, { out: (text) => (out += text), error: (text) => (error += text) }, env);
  return { out, error };
}

/** Of the records of an environment, the newest first. */
async function contractsOfRecords(graph = 'content@production'): Promise<unknown> {
  const { out } = await run(historyCommand, { graph, format: 'json' });
  const { records } = JSON.parse(out) as { readonly records: readonly { readonly contracts: unknown }[] };
  return records.map(({ contracts }) => contracts);
}

describe('trellis publish --contract', () => {
  it('publishes a contract of what is published, changes it and ends it; each publication composes it again', async () => {
    await publish(USERS);
    expect(await set('partners', { exclude: ['internal'] })).toMatchObject({
      status: 0,
      out: expect.stringMatching(
        /published: content@production 2, release [0-9a-f]{12}, contracts: partners\n$/,
      ),
    });
    expect((await contract('partners')).out).toMatch(/secret: Int @tag\(name: "internal"\) @inaccessible/);
    expect((await publish(MORE)).out).toContain('contracts: partners');
    expect((await contract('partners')).out).toContain('more: Int');
    expect((await contract()).out).toBe('partners: exclude internal\n');
    expect((await set('partners', { exclude: ['internal', 'internal'] })).out).toMatch(/^already published/);
    await set('mobile', { include: ['partner'] });
    expect((await contract()).out).toBe('mobile: include partner\npartners: exclude internal\n');
    expect((await set('partners', { remove: true })).status).toBe(0);
    expect(await contractsOfRecords()).toEqual([
      ['mobile'],
      ['mobile', 'partners'],
      ['partners'],
      ['partners'],
      [],
    ]);
    expect((await run(statusCommand, {})).out).toMatch(/, contracts: mobile\n$/);
  });

  it('rejects what breaks clients of a contract alone, by its name, and changes nothing', async () => {
    await publish(USERS);
    await set('partners', { exclude: ['internal'] });
    const hidden = await publish(USERS.replace('me: String', 'me: String @tag(name: "internal")'));
    expect([hidden.status, hidden.out]).toEqual([
      1,
      expect.stringMatching(/breaking: partners: Query\.me: FIELD_REMOVED/),
    ]);
    const stricter = await set('partners', { exclude: ['internal', 'partner'] });
    expect([stricter.status, stricter.out]).toEqual([
      1,
      expect.stringMatching(/breaking: partners: Query\.shared: FIELD_REMOVED/),
    ]);
    expect(await contractsOfRecords()).toEqual([['partners'], []]);
  });

  it('asks recorded operations whether clients use what a contract no longer shows', async () => {
    await publish(USERS);
    await set('partners', { exclude: ['internal'] });
    const recorded = (query: string): string =>
      write(
        'operations.jsonl',
        `{"format":"trellis-operations/1","complete":true}\n${JSON.stringify({
          id: 'one',
          document: query,
          clients: [{ name: 'app', requests: 5 }],
        })}\n`,
      );
    const hide = { exclude: ['internal', 'partner'] };
    const used = await set('partners', { ...hide, operations: [recorded('{ shared }')] });
    expect([used.status, used.out]).toEqual([1, expect.stringContaining('partners: Query.shared')]);
    expect((await set('partners', { ...hide, operations: [recorded('{ me }')] })).status).toBe(0);
  });

  it('rejects a contract that does not compose, now or after a publication, by its name', async () => {
    await publish(USERS);
    const empty = await set('empty', { include: ['nothing'] });
    expect([empty.status, empty.out]).toEqual([
      1,
      expect.stringContaining('INVALID_CONTRACT: The contract empty does not compose: no query is left'),
    ]);
    await set('partners', { include: ['partner'] });
    const untagged = await publish(USERS.replace('@tag(name: "partner")', ''));
    expect([untagged.status, untagged.out]).toEqual([
      1,
      expect.stringContaining('The contract partners does not compose: no query is left'),
    ]);
    expect(untagged.out).toContain('rejected: nothing was changed.');
    expect(await contractsOfRecords()).toEqual([['partners'], []]);
  });

  it('warns of a tag that no element has: one that is excluded hides nothing', async () => {
    await publish(USERS);
    const { status, out } = await set('partners', { exclude: ['internl'] });
    expect([status, out]).toEqual([
      0,
      expect.stringContaining('UNKNOWN_TAG: No element has the tag "internl" of the contract partners.'),
    ]);
  });

  it.each<[string, PublishOptions, number, RegExp]>([
    ['a hostile name', { contract: '../../\u001B[31m', include: ['a'] }, 64, /^INVALID_NAME: "\.\.\/\.\.\//],
    ['a name of a prototype', { contract: '__proto__', include: ['a'] }, 64, /^INVALID_NAME/],
    ['no tags', { contract: 'partners' }, 64, /^INVALID_NAME: --contract NAME needs --include/],
    ['tags and an end', { contract: 'partners', include: ['a'], remove: true }, 64, /^INVALID_NAME/],
    ['an empty tag', { contract: 'partners', include: [''] }, 64, /^INVALID_NAME: The contracts are invalid/],
    [
      'a subgraph as well',
      { contract: 'partners', subgraph: 'users', remove: true },
      64,
      /neither --subgraph/,
    ],
    [
      'the end of one that is unknown',
      { contract: 'constructor', remove: true },
      1,
      /^NO_CONTRACT: content@production has no contract "constructor"/,
    ],
  ])('rejects %s', async (_title, options, status, error) => {
    await publish(USERS);
    const ran = await run(publishCommand, options);
    expect([ran.status, ran.error]).toEqual([status, expect.stringMatching(error)]);
    expect(ran.error).not.toContain('\u001B');
    expect(await contractsOfRecords()).toEqual([[]]);
  });
});

describe('trellis publish --config', () => {
  const configured = (contracts: string): string =>
    write(
      'supergraph.yaml',
      `subgraphs:\n  users: { routing_url: "http://users.test/", schema: { file: users.graphql } }\n${contracts}`,
    );

  it('takes the contracts of the file for all of them; a file without any leaves them', async () => {
    write('users.graphql', LINK + USERS);
    const config = configured(
      'contracts: { partners: { exclude: [internal] }, mobile: { include: [partner] } }\n',
    );
    expect((await run(publishCommand, { config })).out).toContain('contracts: mobile, partners');
    configured('');
    expect((await run(publishCommand, { config })).out).toMatch(
      /^already published.*contracts: mobile, partners/,
    );
    configured('contracts: { partners: { exclude: [internal] } }\n');
    expect((await run(publishCommand, { config })).out).toMatch(/^published.*contracts: partners$/m);
    configured('contracts: {}\n');
    expect((await run(publishCommand, { config })).out).toMatch(/^published: .*release [0-9a-f]{12}\n$/m);
  });

  it('compares no contract that is new: it has no clients yet, though its tags come with it', async () => {
    await publish(USERS.replace('@tag(name: "internal")', ''));
    write('users.graphql', LINK + USERS);
    const config = configured('contracts: { partners: { exclude: [internal] } }\n');
    expect(await run(publishCommand, { config })).toMatchObject({ status: 0 });
  });

  it('rejects a file that names a contract twice', async () => {
    write('users.graphql', LINK + USERS);
    const config = configured('contracts:\n  partners: { exclude: [a] }\n  partners: { exclude: [b] }\n');
    const ran = await run(publishCommand, { config });
    expect([ran.status, ran.error + ran.out]).toEqual([1, expect.stringContaining('unique')]);
  });
});

describe('Contracts of releases', () => {
  it('are promoted; what would end one of the other environment is rejected with what to do', async () => {
    const staging = 'content@staging';
    await publish(USERS, { graph: staging });
    await run(publishCommand, { contract: 'partners', exclude: ['internal'], graph: staging });
    await run(promoteCommand, { from: 'staging', to: 'production' });
    expect(await contractsOfRecords()).toEqual([['partners']]);
    await run(publishCommand, { contract: 'partners', remove: true, graph: staging });
    const ended = await run(promoteCommand, { from: 'staging', to: 'production' });
    expect([ended.status, ended.error]).toEqual([
      1,
      expect.stringMatching(
        /^NO_CONTRACT: content@production serves the contract partners, which the release of content@staging has not\..*--contract partners --remove --graph content@production/,
      ),
    ]);
    await run(publishCommand, { contract: 'partners', remove: true });
    expect((await run(promoteCommand, { from: 'staging', to: 'production' })).status).toBe(0);
  });

  it('are checked by a promotion like the graph', async () => {
    const staging = { graph: 'content@staging' };
    for (const graph of ['content@staging', 'content@production']) {
      await publish(USERS, { graph });
      await run(publishCommand, { contract: 'partners', exclude: ['internal'], graph });
    }
    await run(publishCommand, { contract: 'partners', remove: true, ...staging });
    await run(publishCommand, { contract: 'partners', include: ['partner'], ...staging });
    const ran = await run(promoteCommand, { from: 'staging', to: 'production' });
    expect([ran.status, ran.out]).toEqual([1, expect.stringContaining('breaking: partners: Query.me')]);
  });

  it('go back with a rollback, which says which of them the older release has not', async () => {
    await publish(USERS);
    await set('partners', { exclude: ['internal'] });
    expect(await run(rollbackCommand, {})).toMatchObject({
      status: 0,
      out: expect.stringContaining('warning: the release has no contract partners'),
    });
    expect(await contractsOfRecords()).toEqual([[], ['partners'], []]);
  });

  it('differ by tags and schema', async () => {
    await publish(USERS);
    const added = await set('partners', { include: ['partner'] });
    await set('partners', { include: ['partner', 'internal'] });
    expect(added.status).toBe(0);
    const { contracts, report } = JSON.parse((await run(diffCommand, { format: 'json' })).out) as {
      contracts: unknown;
      report: { changes: unknown };
    };
    expect(contracts).toEqual([
      { name: 'partners', change: 'tags changed' },
      { name: 'partners', change: 'schema changed' },
    ]);
    expect(report.changes).toMatchObject([
      { code: 'FIELD_ADDED', coordinate: 'Query.secret', contract: 'partners' },
    ]);
    expect((await run(diffCommand, { from: '1', to: '2' })).out).toContain('contract added: partners');
  });

  it('are verified by digest, and no garbage', async () => {
    await publish(USERS);
    await set('partners', { exclude: ['internal'] });
    const blobs = join(env['TRELLIS_REGISTRY'] ?? '', 'blobs/sha256');
    const before = readdirSync(blobs);
    expect((await run(collectGarbage, { olderThan: '0' })).out).toMatch(/^0 of/);
    expect((await run(verifyCommand, {})).status).toBe(0);
    const text = before.find((name) => readFileSync(join(blobs, name), 'utf8').includes('@inaccessible'));
    truncateSync(join(blobs, text ?? ''), 3);
    expect(await run(verifyCommand, {})).toMatchObject({
      status: 77,
      out: expect.stringContaining('BLOB_ALTERED'),
    });
  });

  it('are read and left alone by trellis contract', async () => {
    await publish(USERS);
    await set('partners', { exclude: ['internal'] });
    const tried = await contract('any', { include: ['partner'] });
    expect([tried.out.match(/@inaccessible/g)?.length, tried.error]).toEqual([3, '']);
    await expect(contract('other')).rejects.toMatchObject({ code: 'NO_CONTRACT' });
  });
});

/** Opens a registry over HTTP whose tokens are the scopes that they have. */
async function serveOverHttp(): Promise<{
  readonly url: string;
  readonly pool: Pool;
  close(): Promise<void>;
}> {
  const database = await createTestDatabase();
  const { connectionString } = database;
  const directory = new URL('../../migrations/', import.meta.url);
  await migrate({ connectionString, schema: 'registry', directory });
  const pool = createPool({ connectionString, schema: 'registry' });
  const signer = await createRecordSigner(env['TRELLIS_SIGNING_KEY'] ?? '');
  const server = createRegistryServer({
    pool,
    signer,
    trust: await TrustedKeys.from([signer.publicKey]),
    logger: createLogger({ service: 'test', level: 'silent' }),
    authenticate: async ({ authorization = '' }) => {
      const scopes = new Set(authorization.replace('Bearer ', '').split(' '));
      return { kind: 'caller', caller: { clientId: 'ci', subject: undefined, scopes } };
    },
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const close = async (): Promise<void> => {
    await server.close();
    await pool.end();
    await database.drop();
  };
  return { url, pool, close };
}

describe('Each store', () => {
  const placesToClose: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(placesToClose.map((close) => close())));

  const places: Readonly<Record<string, () => Promise<string>>> = {
    folder: async () => join(folder, 'a-folder'),
    git: async () => {
      const path = join(folder, 'a-repository.git');
      execFileSync('git', ['init', '--quiet', '--bare', path]);
      return `git+${pathToFileURL(path).href}`;
    },
    ...(hasObjectStore && {
      bucket: async () => {
        const ceph = await startTestObjectStore();
        placesToClose.push(() => ceph.stop());
        env = { ...env, ...ceph.environment };
        return `s3+${await ceph.createBucket('contracts')}`;
      },
    }),
    server: async () => {
      const served = await serveOverHttp();
      placesToClose.push(served.close);
      return served.url;
    },
  };

  it.each(Object.keys(places))('composes, rejects and reads contracts: %s', async (name) => {
    await makeRegistry((await places[name]?.()) ?? '');
    expect((await publish(USERS)).status).toBe(0);
    expect((await set('partners', { exclude: ['internal'] })).out).toContain('contracts: partners');
    const hidden = await publish(USERS.replace('me: String', 'me: String @tag(name: "internal")'));
    expect([hidden.status, hidden.out]).toEqual([1, expect.stringContaining('breaking: partners: Query.me')]);
    expect((await set('empty', { include: ['nothing'] })).out).toContain(
      'The contract empty does not compose',
    );
    expect((await run(verifyCommand, {})).status).toBe(0);
    expect(await contractsOfRecords()).toEqual([['partners'], []]);
    expect((await contract('partners')).out).toContain('@inaccessible');
    expect((await set('partners', { remove: true })).status).toBe(0);
  });

  it('a server needs the right to the whole graph for a contract, and writes down whose it is', async () => {
    const served = await serveOverHttp();
    placesToClose.push(served.close);
    await makeRegistry(served.url);
    await publish(USERS);
    const token = { TRELLIS_REGISTRY_TOKEN: 'graph:read graph:publish:users' };
    const change = { contract: 'partners', exclude: ['internal'] };
    const rejected = await run(publishCommand, change, token);
    expect([rejected.status, rejected.error]).toEqual([
      77,
      expect.stringMatching(/^NO_RIGHT: .*graph:publish:\*/),
    ]);
    const hostile = await fetch(`${served.url}/v1/graphs/content/environments/production/publications`, {
      method: 'POST',
      headers: { authorization: 'Bearer graph:publish:*', 'content-type': 'application/json' },
      body: JSON.stringify({
        set: [],
        remove: [],
        isWhole: false,
        contracts: { set: [{ name: '../x', include: [], exclude: [] }], remove: [], isWhole: false },
      }),
    });
    expect([hostile.status, await hostile.text()]).toEqual([400, expect.stringContaining('INVALID_NAME')]);
    expect((await run(publishCommand, change)).status).toBe(0);
    const { rows } = await served.pool.query('SELECT contracts, outcome FROM audit ORDER BY id');
    expect(rows).toEqual([
      { contracts: [], outcome: 'published' },
      { contracts: ['partners'], outcome: 'NO_RIGHT' },
      { contracts: ['partners'], outcome: 'published' },
    ]);
  });

  it('a server that knows no contracts is sent none: nothing is published without them', async () => {
    const published: string[] = [];
    const server = createServer((request, response) => {
      const isKnown = request.url?.endsWith('/publications') === true;
      if (isKnown) published.push(request.url ?? '');
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(isKnown ? { exit: 0, lines: ['published'], document: {} } : { error: 'Not Found' }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    placesToClose.push(async () => void server.close());
    const { port } = server.address() as AddressInfo; // it listens
    const url = `http://127.0.0.1:${port}`;
    const change = { contract: 'partners', exclude: ['internal'] };
    const rejected = await run(publishCommand, change, { TRELLIS_REGISTRY: url });
    expect([rejected.status, rejected.error, published]).toEqual([
      69,
      expect.stringMatching(/knows no contracts: update the server. Nothing was published\./),
      [],
    ]);
  });
});
