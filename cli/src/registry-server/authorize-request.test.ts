import { queryChecked } from '@trellis/postgres';
import { registryAuthorization } from '@trellis/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyCommand } from '../publish/history-commands.ts';
import { boundToken } from '../../testing/bound-token.ts';
import { RegistryStage } from '../../testing/registry-stage.ts';

let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start();
});

afterAll(() => stage.close());

describe('A registry over HTTP', () => {
  it.each(['publications', 'promotions', 'rollbacks'])(
    'reads no body of %s without a right to any',
    async (what) => {
      const headers = {
        authorization: `Bearer ${await stage.tokenOf('reader')}`,
        'content-type': 'application/json',
      };
      const url = `${stage.registry.url}/v1/graphs/content/environments/production/${what}`;
      expect((await fetch(url, { method: 'POST', headers, body: '{' })).status).toBe(403);
    },
  );

  it.each([
    ['no token', undefined],
    ['a token that is none', 'Bearer nonsense'],
    ['another scheme', 'Basic dTpw'],
  ])('rejects %s with a challenge', async (_title, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`${stage.registry.url}/v1/logs`, { headers });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer, DPoP']);
  });

  it('wants a token however its addresses are spelt, and leaves no row of those who have none', async () => {
    const rows = async () => queryChecked(stage.pool, { id: 'int8' }, 'SELECT id FROM audit');
    const before = await rows();
    const path = '/%761/graphs/content/environments/production/publications';
    const sent = await fetch(`${stage.registry.url}${path}`, { method: 'POST' });
    const read = await fetch(`${stage.registry.url}/%76%31/logs`);
    expect([sent.status, read.status]).toEqual([401, 401]);
    expect(await rows()).toEqual(before);
  });

  it('takes a token that is bound to a key with a proof alone, and once', async () => {
    const { token, prove } = await boundToken(stage);
    const url = `${stage.registry.url}/v1/logs`;
    const send = async (headers: Record<string, string>) => (await fetch(url, { headers })).status;
    expect(await send({ authorization: `Bearer ${token}` })).toBe(401);
    expect(await send({ authorization: `DPoP ${token}` })).toBe(401);
    const proven = { authorization: `DPoP ${token}`, dpop: await prove('GET', url, token) };
    expect([await send(proven), await send(proven)]).toEqual([200, 401]);
  });

  it('is published to by a client whose tokens are bound, as all tokens of the command line are', async () => {
    const authorize = registryAuthorization({ ...stage.environment, TRELLIS_REGISTRY_CLIENT_ID: 'bound' });
    const headers = await authorize?.('GET', `${stage.registry.url}/v1/logs?x=1`);
    expect(headers).toMatchObject({ authorization: expect.stringMatching(/^DPoP /) as string });
    expect((await fetch(`${stage.registry.url}/v1/logs`, { headers: headers ?? {} })).status).toBe(200);
    const asBearer = { authorization: (headers?.['authorization'] ?? '').replace('DPoP', 'Bearer') };
    expect((await fetch(`${stage.registry.url}/v1/logs`, { headers: asBearer })).status).toBe(401);
    expect((await stage.as('bound', historyCommand)).status).toBe(0);
  });

  it('rejects a publication that names no subgraph, without the right to all', async () => {
    const headers = {
      authorization: `Bearer ${await stage.tokenOf('reader')}`,
      'content-type': 'application/json',
    };
    const url = `${stage.registry.url}/v1/graphs/content/environments/production/publications`;
    const body = '{"set":[],"remove":[],"isWhole":false}';
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(403);
  });
});
