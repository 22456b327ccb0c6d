import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import type { Pool } from '@trellis/postgres';
import { createRecordSigner, TrustedKeys } from '@trellis/registry';
import { hasObjectStore, startTestObjectStore } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ContractStage } from '../../testing/contract-stage.ts';
import { callerOf, createRegistryTables, silent } from '../../testing/registry-stage.ts';
import { createRegistryServer } from '../registry-server/registry-server.ts';
import { publishCommand } from './publish-command.ts';
import { verifyCommand } from './verify-command.ts';

const USERS = print(gql`
  type Query {
    me: String
    shared: Int @tag(name: "partner")
    secret: Int @tag(name: "internal")
  }
`);

let stage: ContractStage;
let count = 0;

beforeAll(async () => {
  stage = await ContractStage.create();
});
afterAll(() => stage.close());
beforeEach(() => stage.makeRegistry(join(stage.folder, String((count += 1)))));

/** Opens a registry over HTTP whose tokens are the scopes that they have. */
async function serveOverHttp(): Promise<{
  readonly url: string;
  readonly pool: Pool;
  close(): Promise<void>;
}> {
  const tables = await createRegistryTables();
  const { pool } = tables;
  const signer = await createRecordSigner(stage.signingKey);
  const server = createRegistryServer({
    pool,
    signer,
    trust: await TrustedKeys.from([signer.publicKey]),
    logger: silent,
    authenticate: async ({ authorization = '' }) => {
      const scopes = authorization.replace('Bearer ', '').split(' ');
      return { kind: 'caller', caller: callerOf('ci', scopes) };
    },
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const close = async (): Promise<void> => {
    await server.close();
    await tables.close();
  };
  return { url, pool, close };
}

describe('Each store', () => {
  const placesToClose: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(placesToClose.map((close) => close())));

  const places: Readonly<Record<string, () => Promise<string>>> = {
    folder: async () => join(stage.folder, 'a-folder'),
    git: async () => {
      const path = join(stage.folder, 'a-repository.git');
      execFileSync('git', ['init', '--quiet', '--bare', path]);
      return `git+${pathToFileURL(path).href}`;
    },
    ...(hasObjectStore && {
      bucket: async () => {
        const ceph = await startTestObjectStore();
        placesToClose.push(() => ceph.stop());
        stage.setVariables(ceph.environment);
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
    await stage.makeRegistry((await places[name]?.()) ?? '');
    expect((await stage.publish(USERS)).status).toBe(0);
    expect((await stage.set('partners', { exclude: ['internal'] })).out).toContain('contracts: partners');
    const hidden = await stage.publish(USERS.replace('me: String', 'me: String @tag(name: "internal")'));
    expect([hidden.status, hidden.out]).toEqual([1, expect.stringContaining('breaking: partners: Query.me')]);
    expect((await stage.set('empty', { include: ['nothing'] })).out).toContain(
      'The contract empty does not compose',
    );
    expect((await stage.run(verifyCommand, {})).status).toBe(0);
    expect(await stage.contractsOfRecords()).toEqual([['partners'], []]);
    expect((await stage.contract('partners')).out).toContain('@inaccessible');
    expect((await stage.set('partners', { remove: true })).status).toBe(0);
  });

  it('a server needs the right to the whole graph for a contract, and writes down whose it is', async () => {
    const served = await serveOverHttp();
    placesToClose.push(served.close);
    await stage.makeRegistry(served.url);
    await stage.publish(USERS);
    const token = { TRELLIS_REGISTRY_TOKEN: 'graph:read graph:publish:users' };
    const change = { contract: 'partners', exclude: ['internal'] };
    const rejected = await stage.run(publishCommand, change, token);
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
    expect((await stage.run(publishCommand, change)).status).toBe(0);
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
    const rejected = await stage.run(publishCommand, change, { TRELLIS_REGISTRY: url });
    expect([rejected.status, rejected.error, published]).toEqual([
      69,
      expect.stringMatching(/knows no contracts: update the server. Nothing was published\./),
      [],
    ]);
  });
});
