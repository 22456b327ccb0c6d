import { createTokenAuthentication } from '@trellis/gateway/token-authentication';
import { openRegistry, registryAuthorization } from '@trellis/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveRegistry } from './serve-registry.ts';
import { boundToken } from '../../testing/bound-token.ts';
import { AUDIENCE, RegistryStage, SECRET, serverFor } from '../../testing/registry-stage.ts';

let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start({ TRELLIS_REGISTRY_REVOCATION_S: '1' });
});

afterAll(() => stage.close());

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
const EMPTY = '{"set":[],"remove":["none"],"isWhole":false}';
const PUBLICATIONS = '/v1/graphs/content/environments/production/publications';

function read(base: string, token: string): Promise<Response> {
  return fetch(`${base}/v1/logs`, { headers: { authorization: `Bearer ${token}` } });
}

describe('A token that was revoked at the issuer', () => {
  it('is rejected within the configured time, for reading and for changes', async () => {
    const { token, prove } = await boundToken(stage, 'operator');
    const send = async (method: string, path: string, body?: string): Promise<Response> => {
      const url = `${stage.registry.url}${path}`;
      const proven = { authorization: `DPoP ${token}`, dpop: await prove(method, url, token) };
      const headers = { ...proven, 'content-type': 'application/json' };
      return fetch(url, { method, headers, ...(body !== undefined && { body }) });
    };
    const change = (): Promise<Response> => send('POST', PUBLICATIONS, EMPTY);
    const readAgain = async (): Promise<number> => (await send('GET', '/v1/logs')).status;
    expect(await readAgain()).toBe(200);
    expect((await change()).status).toBe(422); // no such subgraph, which is judged behind the right
    expect((await stage.askIssuer('operator', 'revoke', new URLSearchParams({ token }))).status).toBe(200);
    await expect.poll(readAgain).toBe(401);
    const rejected = await change();
    expect([rejected.status, await rejected.json()]).toMatchObject([
      401,
      { error: { code: 'NO_RIGHT', message: expect.stringContaining('it was revoked') as string } },
    ]);
    expect((await read(stage.registry.url, await stage.tokenOf('operator'))).status).toBe(200);
  });

  it('is replaced by its client, which goes on with another', async () => {
    const authorize = registryAuthorization({ ...stage.environment, TRELLIS_REGISTRY_CLIENT_ID: 'reader' });
    const store = openRegistry(stage.registry.url, { authorize });
    const url = `${stage.registry.url}/v1/logs`;
    const headersNow = async (): Promise<Record<string, string>> => ({ ...(await authorize?.('GET', url)) });
    const token = ((await headersNow())['authorization'] ?? '').replace('DPoP ', '');
    await stage.askIssuer('reader', 'revoke', new URLSearchParams({ token }));
    await expect.poll(async () => (await fetch(url, { headers: await headersNow() })).status).toBe(401);
    expect(await store.listLogs(signal)).toEqual([]);
    expect((await headersNow())['authorization']).not.toContain(token);
  });

  it('may read while the issuer can not be asked, and changes nothing', async () => {
    const authenticate = createTokenAuthentication({
      issuer: stage.environment['TRELLIS_REGISTRY_ISSUER'] ?? '',
      audience: AUDIENCE,
      revocation: { clientId: 'registry', clientSecret: `not the ${SECRET}`, maxAgeMs: 1_000 },
    });
    const server = await serverFor(stage.pool, [], { authenticate });
    const headers = { authorization: `Bearer ${await stage.tokenOf('operator')}` };
    const reading = await server.inject({ url: '/v1/logs', headers });
    const change = await server.inject({
      method: 'POST',
      url: PUBLICATIONS,
      headers,
      payload: JSON.parse(EMPTY) as object,
    });
    expect([reading.statusCode, change.statusCode, change.json()]).toMatchObject([
      200,
      503,
      {
        error: {
          code: 'STORE_UNAVAILABLE',
          message: expect.stringContaining('can not be asked whether the access token was revoked') as string,
        },
      },
    ]);
    await server.close();
  });

  it('loses a change that waited for its turn', async () => {
    const confirmations = ['active', 'revoked'] as const;
    let asked = 0;
    const server = await serverFor(stage.pool, [], {
      authenticate: async () => ({
        kind: 'caller',
        caller: { clientId: 'late', subject: undefined, scopes: new Set(['graph:publish:*']), isBound: true },
        confirm: async () => confirmations[asked++] ?? 'revoked',
      }),
    });
    const response = await server.inject({
      method: 'POST',
      url: PUBLICATIONS,
      payload: JSON.parse(EMPTY) as object,
    });
    expect([response.statusCode, asked]).toEqual([403, 2]);
    await server.close();
  });
});

describe('A registry that can not ask about tokens', () => {
  it('does not start, unless it is to take revoked ones until they expire', async () => {
    const { TRELLIS_REGISTRY_CLIENT_ID: _id, ...without } = stage.serverEnvironment;
    await expect(serveRegistry({ port: '0' }, without)).rejects.toThrow('--revocation-seconds off');
    const behind = await serveRegistry({ port: '0', revocationSeconds: 'off' }, without);
    expect((await read(behind.url, await stage.tokenOf('reader'))).status).toBe(200);
    await behind.close();
  });

  it.each(['0', '901', 'soon', '1.5', ''])('does not take %j for a time', async (revocationSeconds) => {
    await expect(serveRegistry({ port: '0', revocationSeconds }, stage.serverEnvironment)).rejects.toThrow(
      '--revocation-seconds takes 1 to 900, or off',
    );
  });
});
