import { decodeJwt } from 'jose';
import { connectRedis } from '@trellis/redis';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  completePages,
  basic,
  isHonoured,
  obtainTokens,
  postForm,
  refresh,
  tokensOf,
  type JsonResponse,
} from '../testing/flow.ts';
import { addClient } from '../testing/add-client.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

interface Device {
  readonly deviceCode: string;
  readonly userCode: string;
}

function begin(form: Record<string, string> = {}): Promise<JsonResponse> {
  return postForm(`${server.issuer}/device_authorization`, {
    client_id: 'television',
    scope: 'openid read:data',
    ...form,
  });
}

async function beginDevice(): Promise<Device> {
  const { body } = await begin();
  return { deviceCode: String(body['device_code']), userCode: String(body['user_code']) };
}

function poll({ deviceCode }: Device, form: Record<string, string> = {}): Promise<JsonResponse> {
  return postForm(`${server.issuer}/token`, {
    grant_type: GRANT,
    client_id: 'television',
    device_code: deviceCode,
    ...form,
  });
}

/** Lets the interval pass without waiting for it: the last question was longer ago. */
async function letIntervalPass({ deviceCode }: Device): Promise<void> {
  const redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
  const key = `device:{${deviceCode.slice(3, 25)}}`;
  const lines = String(await redis.get(key)).split('\n');
  lines[5] = '0';
  await redis.set(key, lines.join('\n'), 'KEEPTTL');
  redis.disconnect();
}

async function open(browser: Browser, query = '', email?: string): Promise<Response> {
  const first = await browser.get(`${server.issuer}/device${query}`);
  return completePages(browser, first, server.issuer, email);
}

async function decide(browser: Browser, page: Response, decision: string): Promise<Response> {
  const { action, fields } = readForm(await page.text(), page.url);
  return browser.post(action, { ...fields, decision });
}

describe('RFC 8628: device authorization', () => {
  it('A-168 A-002 gives a device a code for itself and one to show', async () => {
    const response = await begin();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.body).toEqual({
      device_code: expect.stringMatching(/^dc_[\w-]{65}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${server.issuer}/device`,
      verification_uri_complete: `${server.issuer}/device?user_code=${String(response.body['user_code'])}`,
      expires_in: 600,
      interval: 5,
    });
  });

  it('A-168 is for clients that are registered for it, and their scopes', async () => {
    expect((await begin({ client_id: 'spa' })).body['error']).toBe('unauthorized_client');
    expect((await begin({ client_id: 'missing' })).body['error']).toBe('invalid_client');
    expect((await begin({ scope: 'unknown' })).body['error']).toBe('invalid_scope');
    expect((await begin({ resource: 'https://unknown.example' })).body['error']).toBe('invalid_target');
    expect((await fetch(`${server.issuer}/device_authorization`)).status).toBe(405);
  });

  it('A-168 gives tokens once, after the user has compared the code and allowed it', async () => {
    const device = await beginDevice();
    expect((await poll(device)).body['error']).toBe('authorization_pending');
    const browser = new Browser();
    const page = await open(browser, `?user_code=${device.userCode}`);
    const html = await page.clone().text();
    expect(html).toContain(device.userCode);
    expect(html).toContain('Television would like to');
    expect((await decide(browser, page, 'allow')).status).toBe(200);
    await letIntervalPass(device);
    const tokens = tokensOf(await poll(device));
    expect(decodeJwt(tokens.accessToken)).toMatchObject({
      client_id: 'television',
      scope: 'openid read:data',
      roles: ['ADMIN'],
    });
    expect(decodeJwt(tokens.idToken)).toMatchObject({ aud: 'television' });
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(true);
    expect((await refresh(server.issuer, tokens.refreshToken, { client_id: 'television' })).status).toBe(200);
    await letIntervalPass(device);
    expect((await poll(device)).body['error']).toBe('invalid_grant');
  });

  it('RFC 6749 §3.3: has the default scope where the request names none', async () => {
    const radio = { client_id: 'radio', grant_types: [GRANT], scope: 'openid read:data write:data' };
    await addClient(server, { ...radio, default_scope: 'read:data' });
    const start = await postForm(`${server.issuer}/device_authorization`, {}, basic('radio'));
    const { device_code: code = '', user_code: userCode = '' } = start.body as Record<string, string>;
    const browser = new Browser();
    await decide(browser, await open(browser, `?user_code=${userCode}`), 'allow');
    const form = { grant_type: GRANT, device_code: code };
    const { body } = await postForm(`${server.issuer}/token`, form, basic('radio'));
    expect([body['scope'], body['id_token']]).toEqual(['read:data', undefined]);
  });

  it('A-168 gives tokens to one of 10 parallel questions', async () => {
    const device = await beginDevice();
    const browser = new Browser();
    await decide(browser, await open(browser, `?user_code=${device.userCode}`), 'allow');
    const responses = await Promise.all(Array.from({ length: 10 }, () => poll(device)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('A-168 takes the code as people type it', async () => {
    const device = await beginDevice();
    const browser = new Browser();
    const entry = await open(browser);
    expect(await entry.text()).toContain('name="user_code"');
    const typed = device.userCode.toLowerCase().replace('-', ' ');
    const page = await open(browser, `?user_code=${encodeURIComponent(typed)}`);
    expect(await page.text()).toContain(device.userCode);
  });

  it('A-168 asks a device that polls too often to slow down, by 5 s each time', async () => {
    const device = await beginDevice();
    expect((await poll(device)).body['error']).toBe('authorization_pending');
    expect((await poll(device)).body['error']).toBe('slow_down');
    const redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
    const record = String(await redis.get(`device:{${device.deviceCode.slice(3, 25)}}`));
    redis.disconnect();
    expect(record.split('\n')[4]).toBe('10000');
  });

  it('A-168 reports to a device that it was denied', async () => {
    const device = await beginDevice();
    const browser = new Browser();
    expect(
      await (await decide(browser, await open(browser, `?user_code=${device.userCode}`), 'deny')).text(),
    ).toContain('gets no access');
    expect((await poll(device)).body['error']).toBe('access_denied');
  });

  it('A-168 is bound to its client and its secret', async () => {
    const device = await beginDevice();
    const other = await postForm(
      `${server.issuer}/token`,
      { grant_type: GRANT, device_code: device.deviceCode },
      basic('machine'),
    );
    expect(other.body['error']).toBe('unauthorized_client');
    const forged = { ...device, deviceCode: `${device.deviceCode.slice(0, -5)}AAAAA` };
    expect((await poll(forged)).body['error']).toBe('invalid_grant');
    expect((await poll({ ...device, deviceCode: 'x' })).body['error']).toBe('invalid_grant');
    expect((await poll({ ...device, deviceCode: '' })).body['error']).toBe('invalid_request');
    expect((await poll(device)).body['error']).toBe('authorization_pending');
  });

  it('A-168 A-080 A-081 accepts a decision only from the page, once', async () => {
    const device = await beginDevice();
    const browser = new Browser();
    const page = await open(browser, `?user_code=${device.userCode}`);
    const { action, fields } = readForm(await page.text(), page.url);
    const form = { ...fields, decision: 'allow' };
    expect((await browser.post(action, { ...form, csrf: 'x' })).status).toBe(403);
    expect((await browser.post(action, form, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await new Browser().post(action, form)).status).toBe(403);
    const other = new Browser();
    await obtainTokens(server.issuer, {}, other, 'ed@example.com');
    expect((await other.post(action, form)).status).toBe(403);
    expect((await browser.post(action, form)).status).toBe(200);
    expect((await browser.post(action, { ...form, decision: 'deny' })).status).toBe(404);
  });

  it('A-168 A-013 slows the guessing of codes down', async () => {
    const browser = new Browser();
    let status = 0;
    for (let guess = 0; guess < 11; guess += 1) {
      ({ status } = await open(browser, '?user_code=BBBB-BBBB', 'vi@example.com'));
      if (guess < 10) expect(status).toBe(404);
    }
    expect(status).toBe(429);
  });
});

describe('A-168: the lifetime of device codes', () => {
  it('A-168 says so when the code has expired', async () => {
    const short = await startTestAuthServer({ DEVICE_CODE_TTL_S: '1' });
    try {
      const form = { client_id: 'television', scope: 'openid' };
      const { body } = await postForm(`${short.issuer}/device_authorization`, form);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const response = await postForm(`${short.issuer}/token`, {
        grant_type: GRANT,
        client_id: 'television',
        device_code: String(body['device_code']),
      });
      expect(response.body['error']).toBe('expired_token');
    } finally {
      await short.stop();
    }
  });
});
