import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import {
  responseOf,
  authorizationUrl,
  basic,
  completePages,
  createPkce,
  exchange,
  postForm,
  tokensOf,
  type JsonResponse,
} from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const pkce = createPkce();

function push(
  changes: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  const url = new URL(authorizationUrl(server.issuer, pkce, changes));
  return postForm(`${server.issuer}/par`, url.searchParams, headers);
}

async function pushed(changes: Record<string, string | undefined> = {}): Promise<string> {
  return String((await push(changes)).body['request_uri']);
}

function visit(browser: Browser, requestUri: string, more: Record<string, string> = {}): Promise<Response> {
  const query = new URLSearchParams({ client_id: 'spa', request_uri: requestUri, ...more });
  return browser.get(`${server.issuer}/authorize?${query}`);
}

describe('RFC 9126: pushed authorization requests', () => {
  it('A-165 A-002 responds with 201 with a reference that expires, and no-store', async () => {
    const response = await push();
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.body).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{24}$/),
      expires_in: 90,
    });
  });

  it('A-165 gives a code for what was pushed; parameters beside the reference are ignored', async () => {
    const browser = new Browser();
    const requestUri = await pushed({ scope: 'openid', state: 'pushed-state' });
    const first = await visit(browser, requestUri, {
      scope: 'openid write:data',
      state: 'outer',
      redirect_uri: 'https://evil.example',
    });
    const response = responseOf(await completePages(browser, first, server.issuer));
    expect(response.get('state')).toBe('pushed-state');
    const tokens = await exchange(server.issuer, response.get('code') ?? '', pkce);
    expect(tokens.body['scope']).toBe('openid');
    expect(tokensOf(tokens).accessToken).toBeTruthy();
  });

  it('A-165 may be visited twice, but gives one code', async () => {
    const browser = new Browser();
    const requestUri = await pushed();
    const first = await visit(browser, requestUri);
    const second = await visit(browser, requestUri);
    expect(responseOf(await completePages(browser, first, server.issuer)).get('code')).not.toBeNull();
    const late = await completePages(browser, second, server.issuer);
    expect(late.status).toBe(400);
    expect(late.headers.get('location')).toBeNull();
    expect((await visit(browser, requestUri)).status).toBe(400);
  });

  it('A-165 is bound to its client', async () => {
    const requestUri = await pushed();
    expect((await visit(new Browser(), requestUri, { client_id: 'other-spa' })).status).toBe(400);
    expect((await visit(new Browser(), `${requestUri}x`)).status).toBe(400);
  });

  it('A-165 checks what is pushed as if it were visited', async () => {
    const errors: [Record<string, string | undefined>, string][] = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ redirect_uri: 'https://evil.example/' }, 'invalid_request'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ scope: 'unknown' }, 'invalid_scope'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request'],
      [{ request: 'x' }, 'request_not_supported'],
      [{ client_id: 'missing' }, 'invalid_client'],
    ];
    for (const [changes, error] of errors) {
      const response = await push(changes);
      expect(response.status, error).toBe(400);
      expect(response.body['error']).toBe(error);
    }
  });

  it('A-165 A-105 authenticates confidential clients', async () => {
    expect((await push({ client_id: 'basic' })).body['error']).toBe('invalid_client');
    expect((await push({ client_id: undefined }, basic('basic'))).status).toBe(201);
    expect((await fetch(`${server.issuer}/par`)).status).toBe(405);
  });

  it('A-165 A-032 works when the reference is posted', async () => {
    const browser = new Browser();
    const form = { client_id: 'spa', request_uri: await pushed() };
    const first = await browser.post(`${server.issuer}/authorize`, form);
    expect(responseOf(await completePages(browser, first, server.issuer)).get('code')).not.toBeNull();
  });

  it('A-165 can be demanded of a client', async () => {
    const rejected = responseOf(
      await new Browser().get(authorizationUrl(server.issuer, pkce, { client_id: 'pushing' })),
    );
    expect(rejected.get('error')).toBe('invalid_request');
    const first = await visit(new Browser(), await pushed({ client_id: 'pushing' }), {
      client_id: 'pushing',
    });
    expect(first.headers.get('location')).toContain('/login');
  });
});
