import { hash, X509Certificate } from 'node:crypto';
import { request } from 'node:http';
import {
  createAuthority,
  createTemporaryDirectory,
  type TestAuthority,
  type TestCertificate,
} from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { decodeJwt, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, createPkce, exchange, obtainCode, postForm, type JsonResponse } from '../testing/flow.ts';
import {
  createClientKey,
  startKeySetServer,
  type ClientKey,
  type KeySetServer,
} from '../testing/key-set-server.ts';
import {
  obtainPushedCode,
  registerByCommand,
  registerGood,
  signingClient,
  type SigningClient,
} from '../testing/signing-client.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CALLBACK } from '../testing/test-clients.ts';

const MTLS_URL = 'https://mtls.auth.example';

const directory = createTemporaryDirectory();
let authority: TestAuthority;
/** Of the client `issued`, by an authority of the server. */
let issued: TestCertificate;
/** Of the clients that register certificates; no authority that the server knows has issued them. */
let own: TestCertificate;
let renewed: TestCertificate;
let keySet: KeySetServer;
let server: TestAuthServer;

beforeAll(async () => {
  authority = createAuthority(directory.path);
  const unknown = createAuthority(directory.path, 'unknown');
  issued = authority.issue('issued', { subject: '/C=DE/O=Bank/CN=issued' });
  [own, renewed] = [unknown.issue('own'), unknown.issue('renewed')];
  keySet = await startKeySetServer([keyOf(own)]);
  const certificates = {
    CLIENT_CERTIFICATE_HEADER: 'Client-Cert',
    CLIENT_CERTIFICATE_CA_FILE: authority.certificateFile,
    MTLS_URL,
    ADMIN_API: 'true',
  };
  server = await startTestAuthServer({ ...certificates, TRUSTED_PROXIES: '127.0.0.1' });
  for (const metadata of clients()) await registerGood(server, metadata);
});
afterAll(async () => {
  await Promise.all([server.stop(), keySet.close()]);
  directory.remove();
});

const GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'];

function clients(): readonly object[] {
  const common = { redirect_uris: [CALLBACK], grant_types: GRANTS, scope: 'openid read:data write:data' };
  return [
    {
      ...common,
      client_id: 'issued',
      token_endpoint_auth_method: 'tls_client_auth',
      tls_client_auth_subject_dn: 'CN=issued,O=Bank,C=DE',
      tls_client_certificate_bound_access_tokens: true,
    },
    {
      ...common,
      client_id: 'own',
      token_endpoint_auth_method: 'self_signed_tls_client_auth',
      jwks: { keys: [keyOf(own), keyOf(renewed)] },
      tls_client_certificate_bound_access_tokens: true,
    },
    {
      ...common,
      client_id: 'published',
      token_endpoint_auth_method: 'self_signed_tls_client_auth',
      jwks_uri: keySet.uri,
    },
    {
      ...common,
      client_id: 'public',
      grant_types: GRANTS.slice(0, 2),
      tls_client_certificate_bound_access_tokens: true,
    },
    {
      ...common,
      client_id: 'administrator',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      scope: 'auth:admin',
      token_endpoint_auth_method: 'self_signed_tls_client_auth',
      jwks: { keys: [keyOf(own)] },
      tls_client_certificate_bound_access_tokens: true,
    },
  ];
}

const derOf = ({ certificate }: TestCertificate): Buffer => new X509Certificate(certificate).raw;
const thumbprintOf = (certificate: TestCertificate): string =>
  hash('sha256', derOf(certificate), 'base64url');

function keyOf({ certificate }: TestCertificate): JWK {
  const x509 = new X509Certificate(certificate);
  return { ...x509.publicKey.export({ format: 'jwk' }), x5c: [x509.raw.toString('base64')] };
}

/** As a proxy sends it. RFC 9440 §2.1 */
function show(certificate: TestCertificate): Record<string, string> {
  return { 'client-cert': `:${derOf(certificate).toString('base64')}:` };
}

const MACHINE = { grant_type: 'client_credentials', scope: 'read:data' };

function ask(
  clientId: string,
  headers: Record<string, string>,
  form: Record<string, string> = MACHINE,
): Promise<JsonResponse> {
  return postForm(`${server.issuer}/token`, { client_id: clientId, ...form }, headers);
}

async function codeFor(clientId: string): Promise<Record<string, string>> {
  const pkce = createPkce();
  const code = await obtainCode(server.issuer, pkce, { client_id: clientId, scope: 'openid read:data' });
  return { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
}

function userinfo(token: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}`, ...headers } });
}

describe('RFC 8705 §2: clients that authenticate by certificates', () => {
  it('A-232 are known by the subject of a certificate that an authority has issued', async () => {
    expect((await ask('issued', show(issued))).status).toBe(200);
    const other = authority.issue('other');
    for (const headers of [{}, show(own), show(other)])
      expect(await ask('issued', headers)).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
    const details = server.log.map((line) => (JSON.parse(line) as { detail?: string }).detail);
    expect(details).toEqual(
      expect.arrayContaining(['no certificate was shown', 'the certificate is of another subject']),
    );
  });

  it('A-232 are not known by another method beside, nor at an endpoint without a certificate', async () => {
    expect((await ask('issued', show(issued), { ...MACHINE, client_secret: 'x' })).body['error']).toBe(
      'invalid_client',
    );
    expect((await ask('issued', { ...show(issued), ...basic('issued') })).body['error']).toBe(
      'invalid_client',
    );
    for (const path of ['par', 'introspect', 'revoke', 'device_authorization']) {
      const form = { client_id: 'issued', token: 'x' };
      expect((await postForm(`${server.issuer}/${path}`, form)).body['error'], path).toBe('invalid_client');
      expect((await postForm(`${server.issuer}/${path}`, form, show(issued))).body['error'], path).not.toBe(
        'invalid_client',
      );
    }
  });

  it('A-233 are known by a certificate that they have registered, each of several', async () => {
    for (const certificate of [own, renewed]) expect((await ask('own', show(certificate))).status).toBe(200);
    for (const headers of [{}, show(issued)])
      expect((await ask('own', headers)).body['error']).toBe('invalid_client');
    expect(
      (await ask('spa', show(own), { grant_type: 'refresh_token', refresh_token: 'x' })).body['error'],
    ).toBe('invalid_grant');
  });

  it('A-233 are known by a certificate that they publish', async () => {
    const before = keySet.requests;
    expect((await ask('published', show(own))).status).toBe(200);
    expect((await ask('published', show(renewed))).body['error']).toBe('invalid_client');
    expect(keySet.requests).toBe(before + 1);
  });

  it.each([
    ['127.0.0.1', 200],
    ['127.0.0.2', 400],
  ])(
    'A-234 are known by what trusted proxies say, and not by what %s says, if that is none',
    async (localAddress, status) => {
      const headers = { ...show(own), 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ client_id: 'own', ...MACHINE }).toString();
      const responded = new Promise<number | undefined>((resolve, reject) => {
        const sent = request(`${server.issuer}/token`, {
          method: 'POST',
          localAddress,
          agent: false,
          headers,
        });
        sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
        sent.end(body);
      });
      expect(await responded).toBe(status);
    },
  );
});

describe('RFC 8705 §3: tokens that are bound to a certificate', () => {
  it('A-235 say so, at introspection too, and are good with it alone', async () => {
    const { body } = await ask('own', show(own), await codeFor('own'));
    expect(body['token_type']).toBe('Bearer');
    const token = String(body['access_token']);
    const cnf = { 'x5t#S256': thumbprintOf(own) };
    expect(decodeJwt(token)).toMatchObject({ cnf });
    const introspected = await postForm(`${server.issuer}/introspect`, { token }, basic('basic'));
    expect(introspected.body).toMatchObject({ active: true, token_type: 'Bearer', cnf });
    expect((await userinfo(token, show(own))).status).toBe(200);
    for (const headers of [{}, show(renewed), { 'client-cert': 'x' }]) {
      const rejected = await userinfo(token, headers);
      expect(rejected.status).toBe(401);
      expect(rejected.headers.get('www-authenticate')).toContain('Bearer error="invalid_token"');
    }
  });

  it('A-235 are what every grant gives to a client that is registered for them', async () => {
    for (const form of [MACHINE, await codeFor('issued')]) {
      const { body } = await ask('issued', show(issued), form);
      expect(decodeJwt(String(body['access_token']))['cnf']).toEqual({ 'x5t#S256': thumbprintOf(issued) });
    }
    const plain = await ask('published', show(own));
    expect(decodeJwt(String(plain.body['access_token']))).not.toHaveProperty('cnf');
  });

  it('A-235 open the admin API with their certificate alone', async () => {
    const { body } = await ask('administrator', show(own), {
      grant_type: 'client_credentials',
      resource: `${server.issuer}/admin`,
    });
    const list = async (headers: Record<string, string>): Promise<number> => {
      const authorization = `Bearer ${String(body['access_token'])}`;
      return (await fetch(`${server.issuer}/admin/clients`, { headers: { authorization, ...headers } }))
        .status;
    };
    expect([await list(show(own)), await list({}), await list(show(renewed))]).toEqual([200, 401, 401]);
  });

  it("A-236 a public client's refresh tokens are good with its certificate alone, and its codes are not used up without", async () => {
    const form = await codeFor('public');
    expect(await ask('public', {}, form)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const { body } = await ask('public', show(own), form);
    const refresh = (token: unknown, headers: Record<string, string>): Promise<JsonResponse> =>
      ask('public', headers, { grant_type: 'refresh_token', refresh_token: String(token) });
    expect((await refresh(body['refresh_token'], {})).body['error']).toBe('invalid_request');
    expect((await refresh(body['refresh_token'], show(renewed))).body['error']).toBe('invalid_grant');
    const next = await refresh(body['refresh_token'], show(own));
    expect(decodeJwt(String(next.body['access_token']))['cnf']).toEqual({ 'x5t#S256': thumbprintOf(own) });
    expect((await refresh(next.body['refresh_token'], show(renewed))).body['error']).toBe('invalid_grant');
  });

  it('A-236 a confidential client may show a renewed certificate, which its next token is bound to', async () => {
    const { body } = await ask('own', show(own), await codeFor('own'));
    const form = { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) };
    const next = await ask('own', show(renewed), form);
    expect(decodeJwt(String(next.body['access_token']))['cnf']).toEqual({
      'x5t#S256': thumbprintOf(renewed),
    });
  });

  it('A-239 end when the registration loses their certificate, and refresh tokens go on', async () => {
    const metadata = {
      client_id: 'rotating',
      redirect_uris: [CALLBACK],
      scope: 'openid read:data',
      token_endpoint_auth_method: 'self_signed_tls_client_auth',
      jwks: { keys: [keyOf(own)] },
      tls_client_certificate_bound_access_tokens: true,
    };
    await registerGood(server, metadata);
    const code = await codeFor('rotating');
    const { body } = await ask('rotating', show(own), code);
    const token = String(body['access_token']);
    await registerGood(server, { ...metadata, jwks: { keys: [keyOf(own), keyOf(renewed)] } });
    expect((await userinfo(token, show(own))).status).toBe(200);
    await registerGood(server, { ...metadata, jwks: { keys: [keyOf(renewed)] } });
    await expect.poll(async () => (await userinfo(token, show(own))).status).toBe(401);
    const isKnown = async (certificate: TestCertificate): Promise<boolean> =>
      (await postForm(`${server.issuer}/revoke`, { client_id: 'rotating', token: 'x' }, show(certificate)))
        .status === 200;
    await expect.poll(() => isKnown(own)).toBe(false);
    await expect.poll(() => isKnown(renewed)).toBe(true);
    const refresh = { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) };
    expect((await ask('rotating', show(renewed), refresh)).status).toBe(200);
  });
});

describe('RFC 8705 §2.1.2, §3.3, §5: metadata', () => {
  it('A-237 of the server name the methods, and the addresses that ask for certificates', async () => {
    const document = (await (
      await fetch(`${server.issuer}/.well-known/openid-configuration`)
    ).json()) as object;
    expect(document).toMatchObject({
      token_endpoint: `${server.issuer}/token`,
      token_endpoint_auth_methods_supported: expect.arrayContaining([
        'tls_client_auth',
        'self_signed_tls_client_auth',
      ]),
      tls_client_certificate_bound_access_tokens: true,
      mtls_endpoint_aliases: {
        token_endpoint: `${MTLS_URL}/token`,
        userinfo_endpoint: `${MTLS_URL}/userinfo`,
        device_authorization_endpoint: `${MTLS_URL}/device_authorization`,
        pushed_authorization_request_endpoint: `${MTLS_URL}/par`,
        revocation_endpoint: `${MTLS_URL}/revoke`,
        introspection_endpoint: `${MTLS_URL}/introspect`,
      },
    });
  });

  it.each<[string, object, string]>([
    ['names no subject', { token_endpoint_auth_method: 'tls_client_auth' }, 'tls_client_auth needs one of'],
    [
      'names two',
      {
        token_endpoint_auth_method: 'tls_client_auth',
        tls_client_auth_san_dns: 'a',
        tls_client_auth_san_ip: '192.0.2.1',
      },
      'tls_client_auth needs one of',
    ],
    [
      'names what is no name',
      { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_subject_dn: 'bank' },
      'tls_client_auth_subject_dn: is no distinguished name',
    ],
    ['names a subject without use', { tls_client_auth_san_dns: 'a.example' }, 'has no use with none'],
    [
      'has no certificates',
      { token_endpoint_auth_method: 'self_signed_tls_client_auth' },
      'jwks: is needed for self_signed_tls_client_auth',
    ],
    [
      'has keys without certificates',
      {
        token_endpoint_auth_method: 'self_signed_tls_client_auth',
        jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] },
      },
      'jwks: is needed for self_signed_tls_client_auth',
    ],
    [
      'has a certificate that is none',
      {
        token_endpoint_auth_method: 'self_signed_tls_client_auth',
        jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', x5c: ['AAAA'] }] },
      },
      'jwks: is needed for self_signed_tls_client_auth',
    ],
  ])('A-238 of a client that %s are rejected', async (_what, changes, problem) => {
    const metadata = { client_id: 'bad', redirect_uris: [CALLBACK], ...changes };
    expect(await registerByCommand(server, metadata)).toContain(problem);
  });
});

describe('FAPI 2.0 Security Profile §5.3.2.1: by certificates', () => {
  let key: ClientKey;
  let bank: SigningClient;
  beforeAll(async () => {
    key = await createClientKey('key');
    bank = signingClient(server.issuer, 'certified-bank', key);
    const metadata = {
      client_id: 'certified-bank',
      redirect_uris: [CALLBACK],
      grant_types: GRANTS,
      security_profile: 'fapi2',
    };
    await registerGood(server, {
      ...metadata,
      token_endpoint_auth_method: 'tls_client_auth',
      tls_client_auth_subject_dn: 'CN=issued,O=Bank,C=DE',
      tls_client_certificate_bound_access_tokens: true,
    });
    const jwks = { keys: [key.publicJwk] };
    const bound = { tls_client_certificate_bound_access_tokens: true };
    await registerGood(server, { ...metadata, client_id: 'signing-bank', jwks, ...bound });
    const certificates = {
      token_endpoint_auth_method: 'self_signed_tls_client_auth',
      jwks: { keys: [keyOf(own)] },
    };
    await registerGood(server, { ...metadata, client_id: 'proving-bank', ...certificates });
  });

  it('A-185 A-186 a client authenticates by a certificate, and its tokens are bound to it', async () => {
    const pkce = createPkce();
    const pushed = await postForm(
      `${server.issuer}/par`,
      {
        client_id: 'certified-bank',
        response_type: 'code',
        redirect_uri: CALLBACK,
        scope: 'openid read:data',
        code_challenge: pkce.challenge,
        code_challenge_method: 'S256',
      },
      show(issued),
    );
    expect(pushed.status).toBe(201);
    const code = await obtainCode(server.issuer, pkce, {
      client_id: 'certified-bank',
      request_uri: String(pushed.body['request_uri']),
    });
    const form = { client_id: 'certified-bank' };
    expect((await exchange(server.issuer, code, pkce, form)).body['error']).toBe('invalid_client');
    const { body } = await exchange(server.issuer, code, pkce, form, show(issued));
    expect(decodeJwt(String(body['access_token']))['cnf']).toEqual({ 'x5t#S256': thumbprintOf(issued) });
  });

  it('A-186 a client may sign its assertions, and have its tokens bound to a certificate', async () => {
    const signing = signingClient(server.issuer, 'signing-bank', key);
    const { code, pkce } = await obtainPushedCode(server.issuer, signing, new Browser());
    const form = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
    const send = async (headers: Record<string, string>): Promise<JsonResponse> =>
      postForm(`${server.issuer}/token`, { ...(await signing.assertion()), ...form }, headers);
    expect((await send({})).body['error']).toBe('invalid_request');
    const { body } = await send(show(renewed));
    expect(decodeJwt(String(body['access_token']))['cnf']).toEqual({ 'x5t#S256': thumbprintOf(renewed) });
  });

  it('A-186 a client that authenticates by a certificate may prove a key, which names either address', async () => {
    for (const base of [server.issuer, MTLS_URL]) {
      const dpop = await bank.proof('/token', { claims: { htu: `${base}/token` } });
      const { body } = await ask('proving-bank', { ...show(own), dpop });
      expect(body['token_type']).toBe('DPoP');
    }
    expect((await ask('proving-bank', show(own))).body['error']).toBe('invalid_dpop_proof');
    const dpop = await bank.proof('/token', { claims: { htu: 'https://evil.example/token' } });
    expect((await ask('proving-bank', { ...show(own), dpop })).body['error']).toBe('invalid_dpop_proof');
  });
});
