import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import { decodeJwt } from 'jose';
import {
  responseOf,
  authorizationUrl,
  basic,
  completePages,
  createPkce,
  postForm,
  type JsonResponse,
} from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { CALLBACK, CLIENT_SECRET } from '../testing/test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

type Changes = Record<string, string | undefined>;
const pkce = createPkce();
const NO_PKCE = { code_challenge: undefined, code_challenge_method: undefined };

async function ask(changes: Changes, clientId = 'exempt'): Promise<URLSearchParams> {
  const browser = new Browser();
  const url = authorizationUrl(server.issuer, pkce, {
    client_id: clientId,
    scope: 'openid',
    nonce: 'n-1',
    ...NO_PKCE,
    ...changes,
  });
  return responseOf(await completePages(browser, await browser.get(url), server.issuer));
}

function redeem(
  code: string | null,
  form: Record<string, string> = {},
  clientId = 'exempt',
): Promise<JsonResponse> {
  const fields = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: CALLBACK, ...form };
  return postForm(`${server.issuer}/token`, fields, basic(clientId));
}

describe('RFC 9700 §2.1.1: a confidential client that is exempt from PKCE', () => {
  it('M12: gets a code for a request with a nonce, and the nonce in the id_token', async () => {
    const { status, body } = await redeem((await ask({})).get('code'));
    expect(status).toBe(200);
    expect(decodeJwt(String(body['id_token']))['nonce']).toBe('n-1');
  });

  it.each<[string, Changes]>([
    ['no nonce', { nonce: undefined }],
    ['an empty nonce', { nonce: '' }],
    ['no openid', { scope: 'profile' }],
    ['a method without a challenge', { code_challenge_method: 'S256' }],
    ['a plain challenge', { code_challenge: pkce.challenge, code_challenge_method: 'plain' }],
    ['a challenge without a method', { code_challenge: pkce.challenge }],
  ])('is rejected with %s', async (_name, changes) => {
    expect((await ask(changes)).get('error')).toBe('invalid_request');
  });

  it.each(['spa', 'basic', 'jwt'])('is not %s, which is not registered so', async (clientId) => {
    expect((await ask({}, clientId)).get('error')).toBe('invalid_request');
  });

  it('can use PKCE all the same, and then has to', async () => {
    const challenge = { code_challenge: pkce.challenge, code_challenge_method: 'S256' };
    const code = (await ask(challenge)).get('code');
    expect((await redeem(code)).body['error']).toBe('invalid_request');
    expect((await redeem(code, { code_verifier: createPkce().verifier })).body['error']).toBe(
      'invalid_grant',
    );
    expect((await redeem(code, { code_verifier: pkce.verifier })).status).toBe(200);
  });

  it('is rejected with a verifier of which the request had no challenge (RFC 9700 §4.8.2)', async () => {
    const code = (await ask({})).get('code');
    expect((await redeem(code, { code_verifier: pkce.verifier })).body['error']).toBe('invalid_grant');
    expect((await redeem(code)).status).toBe(200);
  });

  it('loses its codes without PKCE with the exemption', async () => {
    const metadata = {
      client_id: 'narrowed',
      client_secret: CLIENT_SECRET,
      redirect_uris: [CALLBACK],
      pkce_exempt: true,
    };
    const add = async (changes: object): Promise<void> => {
      const args = ['clients', 'add', '--metadata-stdin'];
      const outcome = await runCommand(server, args, JSON.stringify({ ...metadata, ...changes }));
      expect(outcome).toMatchObject({ status: 0 });
    };
    await add({});
    const codes = [(await ask({}, 'narrowed')).get('code'), (await ask({}, 'narrowed')).get('code')];
    await add({ client_name: 'Renamed' });
    expect((await redeem(codes[0] ?? null, {}, 'narrowed')).status).toBe(200);
    await add({ pkce_exempt: false });
    expect((await redeem(codes[1] ?? null, {}, 'narrowed')).body['error']).toBe('invalid_grant');
  });
});

describe('RFC 6749 §3.3: a client with a default scope', () => {
  it('gets it for a request that names none', async () => {
    const { body } = await redeem((await ask({ scope: undefined })).get('code'));
    expect(body['scope']).toBe('openid profile');
  });

  it('is rejected by name what it is not registered for, and a client without a default is rejected', async () => {
    expect((await ask({ scope: 'unknown' })).get('error')).toBe('invalid_scope');
    const challenge = { code_challenge: pkce.challenge, code_challenge_method: 'S256' };
    expect((await ask({ scope: undefined, ...challenge }, 'basic')).get('error')).toBe('invalid_scope');
  });
});
