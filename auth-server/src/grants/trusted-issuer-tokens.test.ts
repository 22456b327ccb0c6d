import { readFileSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TOKEN_EXCHANGE_GRANT } from '../clients/grant-types.ts';
import { namespacedSubject } from '../issuers/namespaced-subject.ts';
import { basic, postForm, type JsonResponse } from '../testing/flow.ts';
import { startPartnerIssuer, type Members } from '../testing/partner-issuer.ts';

import { startTrustedIssuerStage, type TrustedIssuerStage } from '../testing/trusted-issuer-stage.ts';

const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt';
const MINUTE_MS = 60_000;

let stage: TrustedIssuerStage;
let server: TrustedIssuerStage['server'];
let partner: TrustedIssuerStage['partner'];
let exchanged: TrustedIssuerStage['exchanged'];
let absent: TrustedIssuerStage['absent'];
let present: TrustedIssuerStage['present'];
let isActive: TrustedIssuerStage['isActive'];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  stage = await startTrustedIssuerStage();
  ({ server, partner, exchanged, absent, present, isActive } = stage);
});
afterAll(async () => {
  vi.useRealTimers();
  await stage.close();
});

const nowS = (): number => Math.floor(Date.now() / 1000);

describe('RFC 8693: A token of a trusted issuer is exchanged', () => {
  const trade = async (
    claims: Members = {},
    changes: Record<string, string> = {},
    audience = 'api://billing',
  ): Promise<JsonResponse> =>
    postForm(
      `${server.issuer}/token`,
      {
        grant_type: TOKEN_EXCHANGE_GRANT,
        subject_token: await exchanged.sign(audience, claims, { typ: 'at+jwt' }),
        subject_token_type: JWT_TYPE,
        ...changes,
      },
      basic('billing'),
    );

  it('A-227 for as long as it lasts, by the client for which the issuer is trusted', async () => {
    const { status, body } = await trade({ exp: nowS() + 100, jti: undefined });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ issued_token_type: expect.any(String) as string, expires_in: 100 });
    expect(decodeJwt(String(body['access_token']))).toMatchObject({
      sub: namespacedSubject(exchanged.issuer, 'ada-there'),
      subject_issuer: exchanged.issuer,
      act: { sub: 'billing', client_id: 'billing' },
      scope: 'read:data write:data',
    });
    expect(await isActive(body['access_token'])).toBe(true);
    const again = { subject_token: String(body['access_token']), scope: 'read:data' };
    expect((await trade({}, again)).body['scope']).toBe('read:data');
  });

  it.each<[string, Members, string]>([
    ['names the client', { client_id: 'billing' }, ''],
    ['names the subject', { sub: 'billing' }, ''],
    ['names another', { sub: 'someone' }, 'invalid_request'],
    ['names another beside the client', { sub: 'billing', client_id: 'else' }, 'invalid_request'],
    ['says what is not known here', { client_id: 'billing', department: 'x' }, 'invalid_request'],
    ['names no one', {}, 'invalid_request'],
    ['names the issuer alone', { iss: 'will be replaced' }, 'invalid_request'],
  ])('A-228 may_act that %s', async (_what, mayAct, error) => {
    const claim = 'iss' in mayAct ? { iss: server.issuer } : mayAct;
    expect((await trade({ may_act: claim })).body['error'] ?? '').toBe(error);
  });

  it.each([['a text'], [['billing']], [7]])('A-228 may_act that is %j lets no one act', async (mayAct) => {
    expect((await trade({ may_act: mayAct })).body['error']).toBe('invalid_request');
  });

  it('A-228 with another audience, or one that is expired, it is not', async () => {
    expect((await trade({}, {}, 'api://else')).body['error']).toBe('invalid_request');
    expect((await trade({ exp: nowS() - 60 })).body['error']).toBe('invalid_request');
    expect((await trade({ act: { sub: 'x' } })).body['error']).toBe('invalid_request');
    expect((await trade({}, { scope: 'read:profile' })).body['error']).toBe('invalid_scope');
  });
});

describe('The file of trusted issuers', () => {
  it('A-242 is reloaded while the server runs; one with problems changes nothing', async () => {
    const file = server.environment['TRUSTED_ISSUERS_FILE'] ?? '';
    const late = await startPartnerIssuer();
    const status = async (): Promise<number> => (await present(await late.sign(server.issuer))).status;
    const declared = JSON.parse(readFileSync(file, 'utf8')) as readonly object[];
    expect(await status()).toBe(400);
    const issuer = {
      issuer: late.issuer,
      clients: ['billing'],
      scopes: ['read:data'],
      subjects: 'namespaced',
      uses: ['assertion'],
    };
    await present(await partner.sign(server.issuer));
    const fetches = partner.fetches();
    writeFileSync(file, JSON.stringify([...declared, issuer]));
    await expect.poll(status).toBe(200);
    await present(await partner.sign(server.issuer));
    expect(partner.fetches(), 'keys of the others stay').toBe(fetches);
    writeFileSync(file, JSON.stringify([...declared, { ...issuer, subjects: 'email' }]));
    const problem = 'trusted issuers reload failed; keeping the current ones';
    await expect.poll(() => server.log.some((line) => line.includes(problem))).toBe(true);
    expect(await status()).toBe(200);
    writeFileSync(file, JSON.stringify(declared));
    await expect.poll(status).toBe(400);
    await late.close();
  });
});

describe('The keys of a trusted issuer', () => {
  it('A-229 are fetched once however many come, again for a key that is new, and not for each that is invented', async () => {
    await present(await partner.sign(server.issuer));
    const before = partner.fetches();
    await present(await partner.sign(server.issuer));
    expect(partner.fetches()).toBe(before);
    vi.setSystemTime(Date.now() + 20_000);
    await partner.rotate();
    expect((await present(await partner.sign(server.issuer))).status).toBe(200);
    expect(partner.fetches()).toBe(before + 2); // its metadata and its keys
    for (let index = 0; index < 5; index += 1)
      await present(await partner.sign(server.issuer, {}, { kid: randomUUID() }));
    expect(partner.fetches()).toBe(before + 2);
  });

  it.each<[string, Readonly<Record<string, { readonly status: number; readonly body: unknown }>>]>([
    [
      'the metadata of another issuer',
      { '/.well-known/openid-configuration': { status: 200, body: { issuer: 'https://evil.example' } } },
    ],
    ['a status of 500', { '/.well-known/openid-configuration': { status: 500, body: {} } }],
    ['a redirect', { '/.well-known/openid-configuration': { status: 302, body: {} } }],
    ['no key set', { '/keys': { status: 200, body: 'x' } }],
    ['more than fits', { '/keys': { status: 200, body: { keys: 'x'.repeat(300_000) } } }],
  ])('A-229 %s: the response is 503, and the assertion is good later', async (_what, responses) => {
    vi.setSystemTime(Date.now() + 20_000);
    absent.misbehave(responses);
    const { status, body, headers } = await present(await absent.sign(server.issuer));
    expect([status, body['error'], headers.get('retry-after')]).toEqual([
      503,
      'temporarily_unavailable',
      '5',
    ]);
  });

  it('A-230 serve for an hour while the issuer is unreachable, and no longer; it comes back by itself', async () => {
    vi.setSystemTime(Date.now() + 6 * MINUTE_MS);
    expect((await present(await partner.sign(server.issuer))).status).toBe(200);
    const withdrawn = await partner.sign(server.issuer); // by a key that is about to be replaced
    partner.misbehave({ '/.well-known/openid-configuration': { status: 502, body: {} } });
    await partner.rotate();
    expect((await present(withdrawn)).status).toBe(200);
    vi.setSystemTime(Date.now() + 59 * MINUTE_MS);
    expect((await present(await partner.sign(server.issuer))).body['error']).toBe('invalid_grant');
    vi.setSystemTime(Date.now() + MINUTE_MS);
    const unjudged = await partner.sign(server.issuer);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      vi.setSystemTime(Date.now() + 20_000);
      expect(await present(unjudged)).toMatchObject({
        status: 503,
        body: { error: 'temporarily_unavailable' },
      });
    }
    const warned = server.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(warned).toContainEqual(
      expect.objectContaining({
        msg: 'fetching the keys of a trusted issuer failed',
        issuer: partner.issuer,
        reason: `${partner.issuer}/.well-known/openid-configuration: The status is 502.`,
      }),
    );
    partner.misbehave({});
    vi.setSystemTime(Date.now() + 20_000);
    expect((await present(unjudged)).status).toBe(200);
  });
});
