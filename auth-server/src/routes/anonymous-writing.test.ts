import { connectRedis, type RedisConnection } from '@trellis/redis';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  responseOf,
  authorizationUrl,
  completePages,
  createPkce,
  postForm,
  submitSignIn,
} from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestAuthServer();
  redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function formOf(changes: Record<string, string> = {}): URLSearchParams {
  return new URL(authorizationUrl(server.issuer, createPkce(), changes)).searchParams;
}

/** What is stored by some work. */
async function keysWrittenBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = new Set(await redis.keys('*'));
  await work();
  return (await redis.keys('*')).filter((key) => !before.has(key));
}

describe('H2: what anybody asks for, before a user has signed in,', () => {
  it.each(['GET', 'POST'])(
    'leaves nothing in Redis: /authorize by %s, up to the sign-in page',
    async (method) => {
      const written = await keysWrittenBy(async () => {
        const browser = new Browser();
        const url = authorizationUrl(server.issuer, createPkce(), { state: 's'.repeat(2_000) });
        const first =
          method === 'GET'
            ? await browser.get(url)
            : await browser.post(`${server.issuer}/authorize`, new URL(url).searchParams);
        const page = await browser.follow(first, server.issuer);
        expect(await page.text()).toContain('type="password"');
      });
      expect(written).toEqual([]);
    },
  );

  it.each(['/device', '/account'])('leaves nothing in Redis: a visit to %s', async (path) => {
    const written = await keysWrittenBy(async () => {
      const browser = new Browser();
      const page = await browser.follow(await browser.get(`${server.issuer}${path}`), server.issuer);
      expect(await page.text()).toContain('type="password"');
    });
    expect(written).toEqual([]);
  });

  it('is rejected at /authorize with state or nonce of more than 2 KB, and never redirected', async () => {
    for (const name of ['state', 'nonce']) {
      const url = authorizationUrl(server.issuer, createPkce(), { [name]: 'x'.repeat(2_049) });
      const got = await fetch(url, { redirect: 'manual' });
      expect(got.status).toBe(413);
      const posted = await fetch(`${server.issuer}/authorize`, {
        method: 'POST',
        body: formOf({ [name]: 'x'.repeat(60_000) }),
        redirect: 'manual',
      });
      expect(posted.status).toBe(413);
    }
  });

  it('is rejected with more than 8 KB in all', async () => {
    const form = formOf({ login_hint: 'x'.repeat(8_192) });
    const posted = await fetch(`${server.issuer}/authorize`, { method: 'POST', body: form });
    expect(posted.status).toBe(413);
    const pushed = await postForm(`${server.issuer}/par`, form);
    expect(pushed).toMatchObject({ status: 413, body: { error: 'invalid_request' } });
  });

  it('is accepted with 8 KB, all the way to the code, with its state as it came', async () => {
    const state = `${'ü'.repeat(900)}"\\ end`;
    const changes = { state, nonce: 'n'.repeat(2_048), login_hint: 'h'.repeat(3_000) };
    const browser = new Browser();
    const first = await browser.post(`${server.issuer}/authorize`, formOf(changes));
    const result = responseOf(await completePages(browser, first, server.issuer));
    expect(result.get('code')).not.toBeNull();
    expect(result.get('state')).toBe(state);
  });

  it('is stored without unknown parameters at /par', async () => {
    const [key = ''] = await keysWrittenBy(() =>
      postForm(`${server.issuer}/par`, formOf({ unknown: 'x'.repeat(60_000) })),
    );
    expect(key).toMatch(/^pushed:/);
    expect(await redis.strlen(key)).toBeLessThan(2_000);
  });
});

describe('A sealed authorization request', () => {
  const begin = async (browser: Browser): Promise<Response> =>
    browser.follow(await browser.get(authorizationUrl(server.issuer, createPkce())), server.issuer);

  it('is good in its browser alone', async () => {
    const page = await begin(new Browser());
    expect((await new Browser().get(page.url)).status).toBe(403);
    const other = new Browser();
    await begin(other);
    expect((await other.get(page.url)).status).toBe(403);
  });

  it('shows nothing of what it holds, and no changed one is good', async () => {
    const browser = new Browser();
    const { url } = await begin(browser);
    const sealed = new URL(url).searchParams.get('transaction') ?? '';
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('the-state');
    const changed = `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'Q' : 'A'}`;
    expect((await browser.get(url.replace(sealed, changed))).status).toBe(403);
  });

  it('gives one code, however often its form is sent', async () => {
    const browser = new Browser();
    const page = await begin(browser);
    const pages = Array.from({ length: 5 }, () => page.clone());
    const responses = await Promise.all(pages.map((copy) => submitSignIn(browser, withUrl(copy, page.url))));
    const codes = responses.filter((result) => result.headers.get('location')?.includes('code=') ?? false);
    expect(codes).toHaveLength(1);
    expect((await browser.get(page.url)).status).toBe(403);
  });
});

/** A clone of a response has no address. */
function withUrl(response: Response, url: string): Response {
  return Object.defineProperty(response, 'url', { value: url });
}
