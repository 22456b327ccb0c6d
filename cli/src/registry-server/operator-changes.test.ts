import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gql } from 'graphql-tag';
import { queryChecked } from '@trellis/postgres';
import { createRecordSigner, generateRecordKey, referenceOf } from '@trellis/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectGarbage } from '../publish/collect-garbage.ts';
import { historyCommand } from '../publish/history-commands.ts';
import { replaceKeysCommand } from '../publish/key-commands.ts';
import { removeVariantCommand, setVariantCommand } from '../publish/variant-commands.ts';
import { verifyCommand } from '../publish/verify-command.ts';
import { RegistryStage } from '../../testing/registry-stage.ts';
import { PostgresStore } from './postgres-store.ts';
import { serveRegistry } from './serve-registry.ts';

const LOG = '/v1/graphs/content/environments/production';
const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start();
  const fields = { production: 'me: Int', staging: 'me: Int you: Int', broken: 'you: Int' };
  for (const [environment, field] of Object.entries(fields))
    await stage.publish('operator', 'users', `type Query { ${field} }`, { graph: `content@${environment}` });
}, 180_000);

afterAll(() => stage.close());

interface ShownRecord {
  readonly sequence: number;
  readonly action: string;
  readonly actor: string;
  readonly keyId: string;
  readonly variants: readonly { readonly name: string; readonly release: { readonly digest: string } }[];
}

/** The newest record of production. */
async function newest(): Promise<ShownRecord> {
  const { out } = await stage.as('reader', historyCommand, { format: 'json' });
  const { records } = JSON.parse(out) as { readonly records: readonly [ShownRecord] };
  return records[0];
}

async function audited(action: string): Promise<readonly unknown[]> {
  const row = { client: 'text?', graph: 'text', outcome: 'text', sequence: 'int4?' } as const;
  const text =
    'SELECT client_id AS client, graph, outcome, sequence FROM audit WHERE action = $1 ORDER BY id';
  return queryChecked(stage.pool, row, text, [action]);
}

async function post(client: string, path: string, body: object): Promise<Response> {
  const url = `${stage.registry.url}${path}`;
  const headers = await stage.headersOf(client, 'POST', url);
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

const canary = { name: 'canary', from: 'staging', percent: '5', aborts: true };

describe('Variants of a registry over HTTP', () => {
  it('are set, changed and ended by who may promote to the environment', async () => {
    expect(await stage.as('users', setVariantCommand, canary)).toMatchObject({
      status: 77,
      error: expect.stringContaining('no scope graph:promote:production') as string,
    });
    expect(await stage.as('operator', setVariantCommand, canary)).toMatchObject({
      status: 0,
      out: 'variant canary set: content@production 2, variants: canary\n',
    });
    const wider = { name: 'canary', percent: '50', aborts: true };
    expect((await stage.as('operator', setVariantCommand, wider)).status).toBe(0);
    expect(await newest()).toMatchObject({
      action: 'canary',
      actor: 'operator',
      variants: [{ name: 'canary', rule: { kind: 'percent', percent: 50 }, abortsItself: true }],
    });
    expect(await stage.as('operator', removeVariantCommand, { name: 'canary' })).toMatchObject({
      out: 'variant canary removed: content@production 4, variants: none\n',
    });
    expect(await stage.as('operator', removeVariantCommand, { name: 'canary' })).toMatchObject({
      status: 1,
      error: expect.stringMatching(/^NOT_FOUND/) as string,
    });
  });

  it('are checked as those of a folder are, each with a row of the audit log', async () => {
    const bad = { name: 'bad', from: 'broken', percent: '1' };
    expect(await stage.as('operator', setVariantCommand, bad)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/FIELD_REMOVED[^]*nothing was changed/) as string,
    });
    const [operator, graph] = ['operator', 'content'];
    expect(await audited('variant')).toEqual([
      { client: 'users', graph, outcome: 'NO_RIGHT', sequence: null },
      { client: operator, graph, outcome: 'canary', sequence: 2 },
      { client: operator, graph, outcome: 'canary', sequence: 3 },
      { client: operator, graph, outcome: 'canary', sequence: 4 },
      { client: operator, graph, outcome: 'NOT_FOUND', sequence: null },
      { client: operator, graph, outcome: 'rejected', sequence: null },
    ]);
  });

  it.each([
    ['no rule', { name: 'a', abortsItself: false }],
    ['a name that is none', { name: '../a', rule: { kind: 'host', host: 'a' }, abortsItself: false }],
    ['a canary of a host', { name: 'a', rule: { kind: 'host', host: 'a' }, abortsItself: true }],
    ['more than all', { name: 'a', rule: { kind: 'percent', percent: 101 }, abortsItself: false }],
  ])('are not set with %s', async (_title, set) => {
    expect((await post('operator', `${LOG}/variants`, { set })).status).toBe(400);
  });
});

describe('Aborts that a registry over HTTP records', () => {
  const abortOf = async (name: string, digest: string): Promise<Response> =>
    post('gateway', `${LOG}/aborts`, { name, release: { digest } });

  it('end the canary that a gateway names with its release, once, and no other variant', async () => {
    await stage.as('operator', setVariantCommand, canary);
    await stage.as('operator', setVariantCommand, { name: 'preview', from: 'staging', host: 'preview.test' });
    const { sequence, variants } = await newest();
    const digest = variants[0]?.release.digest ?? '';
    expect(await (await abortOf('preview', digest)).json()).toMatchObject({
      document: { outcome: 'unchanged' },
    });
    expect(await (await abortOf('canary', 'f'.repeat(64))).json()).toMatchObject({
      document: { outcome: 'unchanged' },
    });
    expect((await newest()).sequence).toBe(sequence);
    const both = await Promise.all([abortOf('canary', digest), abortOf('canary', digest)]);
    const outcomes = await Promise.all(
      both.map(
        async (response) => ((await response.json()) as { document: { outcome: string } }).document.outcome,
      ),
    );
    expect(outcomes.toSorted()).toEqual(['aborted', 'unchanged']);
    expect(await newest()).toMatchObject({
      sequence: sequence + 1,
      action: 'abort',
      actor: 'gateway',
      variants: [{ name: 'preview' }],
    });
  });

  it('take the right to that, which allows nothing else', async () => {
    const set = { name: 'a', rule: { kind: 'host', host: 'a' }, abortsItself: false };
    expect((await post('gateway', `${LOG}/variants`, { set })).status).toBe(403);
    const other = LOG.replace('production', 'staging');
    const abort = { name: 'canary', release: { digest: 'f'.repeat(64) } };
    expect((await post('gateway', `${other}/aborts`, abort)).status).toBe(403);
    const response = await post('operator', `${LOG}/aborts`, abort);
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('no scope graph:abort:production'),
    ]);
    expect((await post('gateway', `${LOG}/aborts`, { name: 'canary' })).status).toBe(400);
  });
});

describe('Keys of a registry over HTTP', () => {
  it('are replaced while it serves: the next key signs from the next record on, in that log alone', async () => {
    const next = await generateRecordKey();
    const { keyId, publicKey } = await createRecordSigner(JSON.stringify(next));
    const file = join(stage.folder, 'next.json');
    writeFileSync(file, JSON.stringify({ keys: [publicKey] }));
    const { TRELLIS_SIGNING_KEY: old = '' } = stage.serverEnvironment;
    const replacement = { with: file };
    expect(await stage.as('operator', replaceKeysCommand, replacement)).toMatchObject({
      status: 77,
      error: expect.stringContaining('no scope graph:promote:*') as string,
    });
    expect(await stage.as('owner', replaceKeysCommand, replacement)).toMatchObject({
      status: 77,
      error: expect.stringContaining(`The server does not have the key ${keyId}.`) as string,
    });
    const both = await serveRegistry(
      { port: '0' },
      {
        ...stage.serverEnvironment,
        TRELLIS_SIGNING_KEY: `${JSON.stringify(next)} ${old}`,
        TRELLIS_REGISTRY_TRUST: stage.environment['TRELLIS_REGISTRY_TRUST'] ?? '',
      },
    );
    const at = { registry: both.url };
    expect((await stage.as('users', replaceKeysCommand, { ...replacement, ...at })).status).toBe(77);
    expect(await stage.as('owner', replaceKeysCommand, { ...replacement, ...at })).toMatchObject({
      status: 0,
      out: expect.stringContaining(`the next record is signed by ${keyId}.`) as string,
    });
    const replaced = await newest();
    expect([replaced.action, replaced.keyId === keyId]).toEqual(['keys', false]);
    const sdl = gql`
      type Query {
        me: Int
        they: Int
      }
    `;
    expect((await stage.publish('users', 'users', sdl, at)).status).toBe(0);
    expect(await newest()).toMatchObject({ action: 'publish', keyId });
    const staging = { ...at, graph: 'content@staging' };
    const more = gql`
      type Query {
        me: Int
        you: Int
        they: Int
      }
    `;
    expect(await stage.publish('stager', 'users', more, staging)).toMatchObject({ status: 0, error: '' });
    expect((await stage.as('reader', verifyCommand, at)).status).toBe(0);
    const stolen = join(stage.folder, 'stolen.json');
    writeFileSync(stolen, stage.environment['TRELLIS_REGISTRY_TRUST'] ?? '');
    expect(await stage.as('owner', replaceKeysCommand, { with: stolen, ...at })).toMatchObject({
      status: 77,
      error: expect.stringMatching(/^INVALID_KEY: .*content@production has replaced the key/) as string,
    });
    expect(
      await stage.publish(
        'users',
        'users',
        gql`
          type Query {
            me: Int
            them: Int
            they: Int
          }
        `,
      ),
    ).toMatchObject({
      status: 77,
      error: expect.stringMatching(/^UNTRUSTED_KEY/) as string,
    });
    await both.close();
    expect(await audited('keys')).toMatchObject([
      { client: 'operator', outcome: 'NO_RIGHT' },
      { client: 'owner', outcome: 'INVALID_KEY' },
      { client: 'users', outcome: 'NO_RIGHT' },
      { client: 'owner', outcome: 'keys', sequence: replaced.sequence },
      { client: 'owner', outcome: 'INVALID_KEY' },
    ]);
  });
});

describe('Texts of a registry over HTTP that no record names', () => {
  it('are deleted by the server, a day after they were written, for who has the right to all environments', async () => {
    const store = new PostgresStore(stage.pool);
    const [old, fresh] = ['what a killed publisher left', 'what a publisher has just written'].map((text) =>
      Buffer.from(text),
    ) as [Buffer, Buffer];
    for (const text of [old, fresh]) await store.writeBlob(referenceOf(text), text, signal);
    const { digest } = referenceOf(old);
    const age = "UPDATE blob SET written_at = now() - interval '25 hours' WHERE digest = $1";
    await stage.pool.query(age, [digest]);
    expect(await stage.as('operator', collectGarbage)).toMatchObject({
      status: 77,
      error: expect.stringContaining('no scope graph:promote:*') as string,
    });
    expect(await stage.as('owner', collectGarbage, { olderThan: '0' })).toMatchObject({
      status: 64,
      error: expect.stringContaining('--older-than takes at least 1 over HTTP') as string,
    });
    expect((await stage.as('owner', collectGarbage, { dryRun: true })).out).toMatch(
      /^1 of \d+ texts would be/,
    );
    expect((await stage.as('owner', collectGarbage)).out).toMatch(/^1 of \d+ texts and 0 temporary files/);
    expect(await store.readBlob(digest, old.length, signal)).toBeUndefined();
    expect(await store.readBlob(referenceOf(fresh).digest, fresh.length, signal)).toBeDefined();
    expect((await stage.as('reader', verifyCommand)).status).toBe(0);
    expect(await audited('gc')).toEqual([
      { client: 'operator', graph: '*', outcome: 'NO_RIGHT', sequence: null },
      { client: 'owner', graph: '*', outcome: 'counted', sequence: null },
      { client: 'owner', graph: '*', outcome: 'collected', sequence: null },
    ]);
  });
});
