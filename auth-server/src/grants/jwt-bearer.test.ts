import { decodeJwt, exportSPKI, importJWK, UnsecuredJWT, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { namespacedSubject } from '../issuers/namespaced-subject.ts';
import { command } from '../testing/add-client.ts';
import { type Members } from '../testing/partner-issuer.ts';
import { runCommand } from '../testing/run-command.ts';
import { API } from '../testing/test-clients.ts';

import { startTrustedIssuerStage, type TrustedIssuerStage } from '../testing/trusted-issuer-stage.ts';

const ADA = '01941f29-7c01-7a00-8000-0000000000ad';

let stage: TrustedIssuerStage;
let server: TrustedIssuerStage['server'];
let partner: TrustedIssuerStage['partner'];
let guests: TrustedIssuerStage['guests'];
let exchanged: TrustedIssuerStage['exchanged'];
let present: TrustedIssuerStage['present'];
let isActive: TrustedIssuerStage['isActive'];
let audited: TrustedIssuerStage['audited'];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  stage = await startTrustedIssuerStage();
  ({ server, partner, guests, exchanged, present, isActive, audited } = stage);
});
afterAll(async () => {
  vi.useRealTimers();
  await stage.close();
});

const nowS = (): number => Math.floor(Date.now() / 1000);

describe('RFC 7523 §2.1: A JWT as a grant', () => {
  it('A-222 gives a token of the account that is linked, which says what is true of it here', async () => {
    const signedInAt = nowS() - 60;
    const assertion = await partner.sign(server.issuer, {
      auth_time: signedInAt,
      acr: 'phr',
      roles: ['ADMIN'],
    });
    const { status, body, headers } = await present(assertion);
    expect([status, headers.get('cache-control')], JSON.stringify(body)).toEqual([200, 'no-store']);
    expect(Object.keys(body).toSorted()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
    const claims = decodeJwt(String(body['access_token']));
    expect(claims).toMatchObject({
      client_id: 'billing',
      aud: API,
      scope: 'read:data write:data',
      auth_time: signedInAt,
    });
    expect(claims.sub).toMatch(/^[\da-f-]{36}$/);
    expect(claims['roles']).toEqual(['ADMIN']); // of the account
    for (const claim of ['acr', 'subject_issuer', 'email']) expect(claims).not.toHaveProperty(claim);
    expect(await isActive(body['access_token'])).toBe(true);
    expect(audited('grant_begun').at(-1)).toMatchObject({
      clientId: 'billing',
      issuer: partner.issuer,
      subject: claims.sub,
    });
  });

  it('A-222 takes the token endpoint as the audience, and gives fewer scopes where fewer are asked for', async () => {
    const assertion = await partner.sign([`${server.issuer}/token`]);
    const { body } = await present(assertion, { scope: 'read:data', resource: 'https://second.example/api' });
    expect(decodeJwt(String(body['access_token']))).toMatchObject({
      scope: 'read:data',
      aud: 'https://second.example/api',
    });
  });

  it('A-223 gives a user without an account an id that no account and no other issuer has, and no role', async () => {
    const { body } = await present(
      await guests.sign(server.issuer, { sub: ADA, roles: ['ADMIN'], name: 'Ada' }),
    );
    const claims = decodeJwt(String(body['access_token']));
    expect(claims).toMatchObject({
      sub: namespacedSubject(guests.issuer, ADA),
      subject_issuer: guests.issuer,
      roles: [],
      scope: 'read:data',
    });
    expect(claims.sub).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab]/);
    expect(claims).not.toHaveProperty('name');
    expect(claims.sub).not.toBe(namespacedSubject(partner.issuer, ADA));
    expect(await isActive(body['access_token'])).toBe(true);
    const headers = { authorization: `Bearer ${String(body['access_token'])}` };
    expect((await fetch(`${server.issuer}/userinfo`, { headers })).status).toBe(403);
  });

  it('A-224 is used once, of any number at the same time, and what is rejected does not use it up', async () => {
    const assertion = await partner.sign(server.issuer);
    expect((await present(assertion, { scope: 'read:profile' })).body['error']).toBe('invalid_scope');
    expect((await present(assertion, { resource: 'https://evil.example' })).body['error']).toBe(
      'invalid_target',
    );
    const responses = await Promise.all(Array.from({ length: 8 }, () => present(assertion)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of responses) if (status !== 200) expect(body['error']).toBe('invalid_grant');
    expect(audited('assertion_rejected').some(({ detail }) => detail === 'jti was used before')).toBe(true);
    const another = await guests.sign(server.issuer, { jti: decodeJwt(assertion).jti });
    expect((await present(another)).status).toBe(200); // ids are each issuer's own
  });
});

describe('RFC 7523 §3: An assertion that is rejected', () => {
  type Assertion = () => Promise<string>;
  const claims =
    (changes: Members): Assertion =>
    () =>
      partner.sign(server.issuer, changes);
  const header =
    (changes: Members): Assertion =>
    () =>
      partner.sign(server.issuer, {}, changes);
  const audience =
    (make: () => unknown): Assertion =>
    () =>
      partner.sign(make());
  const cases: readonly (readonly [string, Assertion])[] = [
    ['another audience', audience(() => 'https://evil.example')],
    ['the API as its audience', audience(() => API)],
    ['the audience with a slash', audience(() => `${server.issuer}/`)],
    ['an audience among others', audience(() => [server.issuer, 'https://evil.example'])],
    ['no audience', audience(() => undefined)],
    ['an issuer that no one knows', claims({ iss: 'https://evil.example' })],
    ['no issuer', claims({ iss: undefined })],
    ['the issuer of others', () => partner.sign(server.issuer, { iss: guests.issuer })],
    ['this server as its issuer', claims({ iss: 'will be replaced' })],
    ['an issuer that is trusted for exchanges alone', () => exchanged.sign(server.issuer)],
    ['a subject that is not linked', claims({ sub: 'someone' })],
    ['the id of an account as its subject', claims({ sub: ADA })],
    ['the address of an account as its subject', claims({ sub: 'ada@example.com' })],
    ['no subject', claims({ sub: undefined })],
    ['an empty subject', claims({ sub: '' })],
    ['a subject that is a number', claims({ sub: 7 })],
    ['a long subject', claims({ sub: 'a'.repeat(256) })],
    ['no exp', claims({ exp: undefined })],
    ['an exp in the past', claims({ exp: nowS() - 60 })],
    ['an exp in the far future', claims({ exp: nowS() + 4_000 })],
    ['an exp that is a text', claims({ exp: String(nowS() + 60) })],
    ['an iat in the future', claims({ iat: nowS() + 120 })],
    ['an iat of yesterday', claims({ iat: nowS() - 86_400 })],
    ['an nbf in the future', claims({ nbf: nowS() + 120 })],
    ['no jti', claims({ jti: undefined })],
    ['an empty jti', claims({ jti: '' })],
    ['a jti that is a number', claims({ jti: 7 })],
    ['a jti of a kilobyte', claims({ jti: 'a'.repeat(1_024) })],
    ['an actor', claims({ act: { sub: 'else' } })],
    ['a key that it is bound to', claims({ cnf: { jkt: 'x' } })],
    ['the type of access tokens', header({ typ: 'at+jwt' })],
    ['the type of logout tokens', header({ typ: 'logout+jwt' })],
    ['the type of proofs', header({ typ: 'application/dpop+jwt' })],
    [
      'a key of its own in the header',
      async () =>
        partner.sign(server.issuer, {}, { jwk: guests.publicKey, kid: undefined }, guests.privateKey),
    ],
    [
      'an address of keys in the header',
      async () =>
        partner.sign(
          server.issuer,
          {},
          { jku: `${guests.issuer}/keys`, kid: guests.publicKey.kid },
          guests.privateKey,
        ),
    ],
    ['the key of another issuer', async () => partner.sign(server.issuer, {}, {}, guests.privateKey)],
    [
      'HS256 with the public key',
      async () => {
        const pem = await exportSPKI((await importJWK(partner.publicKey, 'ES256')) as CryptoKey);
        return partner.sign(server.issuer, {}, { alg: 'HS256' }, Buffer.from(pem));
      },
    ],
    ['no signature', async () => new UnsecuredJWT(decodeJwt(await partner.sign(server.issuer))).encode()],
    [
      'swapped claims',
      async () => {
        const [head = '', , signature = ''] = (await partner.sign(server.issuer)).split('.');
        const other = (await partner.sign(server.issuer, { sub: 'else' })).split('.')[1] ?? '';
        return `${head}.${other}.${signature}`;
      },
    ],
    ['garbage', async () => 'garbage'],
    ['a text that is too long', claims({ more: 'a'.repeat(20_000) })],
  ];

  it.each(cases)('A-225 %s', async (what, make) => {
    const assertion = what.startsWith('this server')
      ? await partner.sign(server.issuer, { iss: server.issuer })
      : await make();
    const { status, body } = await present(assertion);
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid_grant' });
    expect(body['error_description']).toBe('The code or token is unknown, expired, revoked or already used.');
  });

  it('A-225 one for another client, one without an assertion, and the admin API', async () => {
    expect((await present(await partner.sign(server.issuer), {}, 'another')).body['error']).toBe(
      'invalid_grant',
    );
    expect((await present('')).body['error']).toBe('invalid_request');
    expect((await present(await partner.sign(server.issuer), {}, 'basic')).body['error']).toBe(
      'unauthorized_client',
    );
    const admin = { resource: `${server.issuer}/admin` };
    expect((await present(await partner.sign(server.issuer), admin)).body['error']).toBe('invalid_target');
  });
});

describe('What ends a grant by an assertion', () => {
  const take = async (claims: Members): Promise<unknown> =>
    (await present(await partner.sign(server.issuer, claims))).body['access_token'];

  it('A-226 the account that is disabled, the grants that an operator ends, the client, the link', async () => {
    const email = ['--email', 'ed@example.com'];
    const link = ['--issuer', partner.issuer, '--subject', 'ed-there'];
    await command(server, 'accounts', 'link', ...email, ...link);
    const ed = { sub: 'ed-there' };
    const disabled = await take(ed);
    await command(server, 'accounts', 'disable', ...email);
    expect(await isActive(disabled)).toBe(false);
    expect((await present(await partner.sign(server.issuer, ed))).body['error']).toBe('invalid_grant');
    await command(server, 'accounts', 'enable', ...email);

    const revoked = await take(ed);
    await command(server, 'grants', 'revoke', ...email);
    expect(await isActive(revoked)).toBe(false);

    const unlinked = await take(ed);
    await command(server, 'accounts', 'unlink', ...link);
    expect(await isActive(unlinked)).toBe(false);
    expect((await present(await partner.sign(server.issuer, ed))).body['error']).toBe('invalid_grant');
    await command(server, 'accounts', 'link', ...email, ...link);

    const guest = (await present(await guests.sign(server.issuer))).body['access_token'];
    await command(server, 'grants', 'revoke', `--grant=${String(decodeJwt(String(guest))['gid'])}`);
    expect(await isActive(guest)).toBe(false);
  });

  it('a user of an issuer is linked to one account, and of issuers alone that are declared', async () => {
    const link = (
      email: string,
      issuer: string,
    ): Promise<{ readonly status: number; readonly err: string }> =>
      runCommand(server, [
        'accounts',
        'link',
        '--email',
        email,
        '--issuer',
        issuer,
        '--subject',
        'ada-there',
      ]);
    expect(await link('ed@example.com', partner.issuer)).toMatchObject({ status: 1 });
    expect(await link('ada@example.com', partner.issuer)).toMatchObject({ status: 0 });
    expect(await link('ada@example.com', 'https://evil.example')).toMatchObject({ status: 64 });
    expect((await present(await partner.sign(server.issuer))).status).toBe(200);
  });
});
