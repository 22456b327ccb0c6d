import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addClient } from '../testing/add-client.ts';
import { authorizationUrl, createPkce, submitSignIn } from '../testing/flow.ts';
import { pngOf } from '../testing/png.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CALLBACK } from '../testing/test-clients.ts';

const folder = createTemporaryDirectory();
const logo = pngOf(32, 32);
let respond: (response: ServerResponse) => void;
let asked = 0;
const images = createServer((_request, response) => {
  asked += 1;
  respond(response);
});
let imageUrl: string;
let server: TestAuthServer;

beforeAll(async () => {
  writeFileSync(join(folder.path, 'logo.png'), logo);
  writeFileSync(join(folder.path, 'theme.json'), JSON.stringify({ name: 'Ours', logo: 'logo.png' }));
  await new Promise<void>((resolve) => void images.listen(0, '127.0.0.1', resolve));
  imageUrl = `http://127.0.0.1:${(images.address() as AddressInfo).port}`;
  server = await startTestAuthServer({
    THEME_FOLDER: folder.path,
    REGISTRATION_TOKEN: TOKEN,
    ERROR_REFERENCE: 'https://docs.example/errors.html',
  });
});
afterAll(async () => {
  await server.stop();
  images.close();
  folder.remove();
});

const TOKEN = 'q7Vw2nZr9Lk4Tb8Xc1Yd6Mf3Hg5Js0Pa';
const pkce = createPkce();

async function openSignIn(
  clientId: string,
  browser = new Browser(),
  redirectUri = CALLBACK,
): Promise<Response> {
  const changes = { client_id: clientId, redirect_uri: redirectUri, prompt: 'consent' };
  return browser.follow(await browser.get(authorizationUrl(server.issuer, pkce, changes)), server.issuer);
}

async function register(id: string, metadata: object): Promise<void> {
  await addClient(server, {
    client_secret: undefined,
    client_id: id,
    client_name: `Shop ${id}`,
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    ...metadata,
  });
}

describe('A-250: pages', () => {
  it('show the operator’s name and logo, which this server serves under a policy of its own', async () => {
    const html = await (await openSignIn('spa')).text();
    const [, address = ''] = /<img src="([^"]+)"/.exec(html) ?? [];
    expect(html).toContain('· Ours</title>');
    expect(new URL(address).origin).toBe(server.issuer);
    const picture = await fetch(address);
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(logo);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    for (const name of ['none.png', 'theme.json', 'logo.png', '..%2Ftheme.json'])
      expect((await fetch(`${server.issuer}/assets?name=${name}`)).status).toBe(404);
  });

  it('A-257: begin at the issuer’s own address', async () => {
    const home = await fetch(`${server.issuer}/`, { redirect: 'manual' });
    expect([home.status, home.headers.get('location')]).toEqual([303, `${server.issuer}/account`]);
  });
});

describe('A-253: of a client that someone has looked at, pages show', () => {
  it('logo and links; the browser asks no other host for them', async () => {
    respond = (response) => response.end(logo);
    await register('vetted', {
      logo_uri: `${imageUrl}/logo`,
      client_uri: 'https://shop.example/',
      policy_uri: 'https://shop.example/privacy',
      tos_uri: 'https://shop.example/terms',
    });
    const browser = new Browser();
    const signIn = await openSignIn('vetted', browser);
    const consent = await browser.follow(await submitSignIn(browser, signIn.clone()), server.issuer);
    for (const page of [signIn, consent]) {
      const html = await page.text();
      expect(html).toContain('<img src="client-logo?client_id=vetted" alt=""');
      for (const path of ['', 'privacy', 'terms'])
        expect(html).toContain(`<a href="https://shop.example/${path}" rel="noreferrer">`);
      const loaded = [...html.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, address = '']) => address);
      for (const address of loaded) expect(new URL(address, page.url).origin).toBe(server.issuer);
      expect(page.headers.get('content-security-policy')).toContain("img-src 'self'");
      expect(html).not.toContain('id="unvetted"');
    }
    const before = asked;
    for (let round = 0; round < 3; round += 1) {
      const picture = await fetch(`${server.issuer}/client-logo?client_id=vetted`);
      expect(Buffer.from(await picture.arrayBuffer())).toEqual(logo);
      expect(picture.headers.get('content-type')).toBe('image/png');
      expect(picture.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    }
    expect(asked - before).toBe(1);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    [
      'a page',
      (response) => response.setHeader('content-type', 'image/png').end('<script>alert(1)</script>'),
    ],
    ['SVG', (response) => response.setHeader('content-type', 'image/svg+xml').end('<svg></svg>')],
    ['an endless picture', (response) => response.end(Buffer.concat([logo, Buffer.alloc(200_000)]))],
    ['a picture of too many pixels', (response) => response.end(pngOf(4_000, 1))],
    ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['an error', (response) => response.writeHead(500).end()],
    ['nothing', (response) => void response.destroy()],
  ])('A-252: no logo where its address brings %s, and asks it no second time', async (what, how) => {
    respond = how;
    const id = `bad-${what.replaceAll(' ', '-')}`;
    await register(id, { logo_uri: `${imageUrl}/${id}` });
    const before = asked;
    for (let round = 0; round < 2; round += 1)
      expect((await fetch(`${server.issuer}/client-logo?client_id=${id}`)).status).toBe(404);
    expect(asked - before).toBe(1);
    expect((await openSignIn(id)).status).toBe(200);
  });

  it('A-252: no logo of an address that is no web address', async () => {
    await expect(register('script', { logo_uri: 'javascript:alert(1)' })).rejects.toThrow();
    await expect(register('plain', { policy_uri: 'http://shop.example/' })).rejects.toThrow();
  });
});

describe('A-254: of a client that registered itself, pages show', () => {
  it('its name as not verified, and who gets the response, and nothing else that it says of itself', async () => {
    const registered = await fetch(`${server.issuer}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({
        client_name: 'Your Bank',
        redirect_uris: ['https://evil.example/callback'],
        token_endpoint_auth_method: 'none',
        logo_uri: `${imageUrl}/bank`,
        client_uri: 'https://bank.example/',
        policy_uri: 'https://bank.example/',
        tos_uri: 'https://bank.example/',
      }),
    });
    const { client_id: id } = (await registered.json()) as { client_id: string };
    const browser = new Browser();
    const signIn = await openSignIn(id, browser, 'https://evil.example/callback');
    const consent = await browser.follow(await submitSignIn(browser, signIn.clone()), server.issuer);
    const before = asked;
    for (const page of [signIn, consent]) {
      const html = await page.text();
      expect(html).toContain('Its name has not been verified. Your response goes to evil.example.');
      expect(html).not.toContain('bank.example');
      expect(html).not.toContain('client-logo');
    }
    expect((await fetch(`${server.issuer}/client-logo?client_id=${id}`)).status).toBe(404);
    expect(asked).toBe(before);
  });
});

describe('A-255: who is someone else than the one signed in', () => {
  it('switches the user on the consent page, and ends up at consent again', async () => {
    const browser = new Browser();
    const consent = await browser.follow(
      await submitSignIn(browser, await openSignIn('spa', browser)),
      server.issuer,
    );
    const html = await consent.text();
    const [, link = ''] = /<a href="([^"]+)">Not you\?/.exec(html) ?? [];
    const signIn = await browser.get(new URL(link.replaceAll('&amp;', '&'), consent.url));
    expect(signIn.status).toBe(200);
    const again = await browser.follow(await submitSignIn(browser, signIn, 'ed@example.com'), server.issuer);
    expect(await again.text()).toContain('You are signed in as ed@example.com.');
  });
});

describe('A-256: an error page', () => {
  it('names the request as the log does, and leads on', async () => {
    const page = await fetch(`${server.issuer}/authorize?client_id=unknown`);
    const html = await page.text();
    const [, reference = ''] = /Reference: <code>([0-9a-f-]{36})<\/code>/.exec(html) ?? [];
    expect(server.log.some((line) => line.includes(`"requestId":"${reference}"`))).toBe(true);
    expect(html).toContain(`<a href="${server.issuer}/account">`);
    expect(html).toContain(
      '<a href="https://docs.example/errors.html#invalid_client"><code>invalid_client</code></a>',
    );
  });

  it('leads back to the application, if someone has looked at it', async () => {
    const url = authorizationUrl(server.issuer, pkce, {
      client_id: 'spa',
      redirect_uri: 'https://wrong.example/',
    });
    await openSignIn('spa');
    expect(await (await fetch(url)).text()).toContain('<a href="https://app.example/">Back to The');
    const browser = new Browser();
    const signIn = await openSignIn('spa', browser);
    const expired = await browser.post(`${server.issuer}/login`, {
      transaction: new URL(signIn.url).searchParams.get('transaction') ?? '',
    });
    expect(expired.status).toBe(403);
    expect(await expired.text()).toContain('<a href="https://app.example/">Back to The');
  });

  it('is what people get where there is nothing; programs get JSON', async () => {
    const page = await fetch(`${server.issuer}/nothing`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('There is no page at this address.');
    expect(await (await fetch(`${server.issuer}/nothing`)).json()).toEqual({ error: 'not_found' });
  });
});
