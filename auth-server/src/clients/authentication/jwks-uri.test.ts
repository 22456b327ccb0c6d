import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postForm } from '../../testing/flow.ts';
import {
  createClientKey,
  startKeySetServer,
  type ClientKey,
  type KeySetServer,
} from '../../testing/key-set-server.ts';
import {
  registerByCommand,
  registerGood,
  signingClient,
  type Changes,
  type SigningClient,
} from '../../testing/signing-client.ts';
import { startTestAuthServer, type TestAuthServer } from '../../testing/test-auth-server.ts';
import { CALLBACK } from '../../testing/test-clients.ts';

let server: TestAuthServer;
let published: KeySetServer;
let key: ClientKey;
let foreign: ClientKey;
let client: SigningClient;
beforeAll(async () => {
  [server, key, foreign] = await Promise.all([
    startTestAuthServer(),
    createClientKey('of-the-client'),
    createClientKey('of-the-client'),
  ]);
  published = await startKeySetServer([key.publicJwk]);
  client = signingClient(server.issuer, 'publishing', key);
  await registerGood(server, metadata());
});
afterAll(async () => {
  await published.close();
  await server.stop();
});

function metadata(changes: object = {}): object {
  return { client_id: 'publishing', redirect_uris: [CALLBACK], jwks_uri: published.uri, ...changes };
}

function register(changes: object): Promise<string> {
  return registerByCommand(server, metadata(changes));
}

/** The error of a request that fails for its refresh token where the client has authenticated. */
async function errorOf(changes: Changes = {}): Promise<unknown> {
  const assertion = await client.assertion(changes);
  const form = { grant_type: 'refresh_token', refresh_token: 'x', ...assertion };
  return (await postForm(`${server.issuer}/token`, form)).body['error'];
}

describe('RFC 7591 §2: a client that publishes its keys', () => {
  it('A-171 authenticates by a key of its jwks_uri, and has private_key_jwt by default', async () => {
    expect([await errorOf(), await errorOf(), published.requests]).toEqual([
      'invalid_grant',
      'invalid_grant',
      1,
    ]);
  });

  it('A-172 is not authenticated by what is not signed so', async () => {
    const jti = 'used-twice';
    expect(await errorOf({ claims: { jti } })).toBe('invalid_grant');
    const bad: Changes[] = [
      { claims: { jti } },
      { claims: { aud: 'https://other.example' } },
      { claims: { aud: [server.issuer] } },
      { claims: { sub: 'jwt' } },
      { by: foreign },
      { header: { kid: 'unknown' } },
      { header: { kid: '../../etc/passwd' } },
      { header: { kid: '__proto__' } },
      { header: { alg: 'ES256', jku: 'http://169.254.169.254/', jwk: foreign.publicJwk }, by: foreign },
    ];
    for (const changes of bad) expect(await errorOf(changes), JSON.stringify(changes)).toBe('invalid_client');
  });

  it('A-171 is registered with either jwks or jwks_uri', async () => {
    const jwks = { keys: [key.publicJwk] };
    expect(await register({ client_id: 'both', jwks })).toContain('jwks: goes with no jwks_uri');
    expect(
      await register({
        client_id: 'none',
        jwks_uri: undefined,
        token_endpoint_auth_method: 'private_key_jwt',
      }),
    ).toContain('jwks: is needed');
  });

  it.each([
    'http://keys.example/jwks',
    'ftp://keys.example/jwks',
    'file:///etc/passwd',
    'com.example.app:/jwks',
    'https://user:password@keys.example/jwks',
    'https://keys.example/jwks#fragment',
    'keys.example',
    `https://keys.example/${'x'.repeat(2_000)}`,
  ])('A-171 is not registered with %s', async (jwks_uri) => {
    expect(await register({ client_id: 'bad', jwks_uri })).toContain('jwks_uri: ');
  });

  it('A-172 whose keys can not be had is not authenticated, and the log says why', async () => {
    const broken = await startKeySetServer();
    broken.respond((response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end());
    expect(await register({ client_id: 'broken', jwks_uri: broken.uri })).toBe('');
    const assertion = await signingClient(server.issuer, 'broken', key).assertion();
    const form = { grant_type: 'refresh_token', refresh_token: 'x', ...assertion };
    expect((await postForm(`${server.issuer}/token`, form)).body).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication failed.',
    });
    expect(server.log.some((line) => line.includes('The status is 302'))).toBe(true);
    const metrics = await server.metrics.metrics();
    expect(metrics).toContain('trellis_auth_client_key_sets_total{outcome="failed",service="auth-server"} 1');
    await broken.close();
  });

  it.each(['development', 'test', 'production'])(
    'H3: on this machine, is asked for nothing by a server whose issuer is elsewhere and NODE_ENV is %s',
    async (NODE_ENV) => {
      const elsewhere = {
        ISSUER: 'https://auth.example.com',
        DEMO_DATA: 'false',
        TRUSTED_PROXIES: '127.0.0.1',
      };
      const remote = await startTestAuthServer({ ...elsewhere, NODE_ENV });
      await registerGood(remote, metadata());
      const before = published.requests;
      const assertion = await signingClient(remote.issuer, 'publishing', key).assertion();
      const form = { grant_type: 'refresh_token', refresh_token: 'x', ...assertion };
      expect((await postForm(`${remote.url}/token`, form)).body['error']).toBe('invalid_client');
      expect(published.requests).toBe(before);
      await remote.stop();
    },
  );
});
