import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, CookieJar, FormBrowser, passPages, readForm } from './index.ts';

const PAGE = `
  <form action="/search"><input name="q"></form>
  <form method="POST" action="/login?a=1&amp;b=2">
    <input type="hidden" name="csrf" value="x&quot;y"><input name="email" value="ada@example.com">
    <input type="password" name="password"><input type="hidden" value="no name">
    <button name="decision" value="deny">Deny</button><button name="decision" value="allow">Allow it</button>
  </form>`;

describe('readForm', () => {
  it('reads the first form that is sent by POST, its texts as a browser does', () => {
    expect(readForm(PAGE, 'https://id.example/page')).toEqual({
      action: 'https://id.example/login?a=1&b=2',
      fields: { csrf: 'x"y' },
      visible: { email: 'ada@example.com', password: '' },
      pressed: { decision: 'deny' },
      hasPassword: true,
    });
  });

  it('presses the button with a text', () => {
    const { pressed } = readForm(PAGE, 'https://id.example/', { button: /^Allow/ });
    expect(pressed).toEqual({ decision: 'allow' });
    expect(() => readForm(PAGE, 'https://id.example/', { button: /^Later/ })).toThrow(
      'There is no form with a button /^Later/ on the page',
    );
  });

  it('reads a form that the text cuts off, and rejects a page without one', () => {
    const { fields } = readForm(
      '<form method="post" action=""><input type="hidden" name="a" value="1">',
      'https://a/b',
    );
    expect(fields).toEqual({ a: '1' });
    expect(() => readForm('<p>Sorry</p>', 'https://a/')).toThrow('There is no form on the page');
  });
});

describe('CookieJar', () => {
  it('stores cookies with their attributes, and removes what is taken back', () => {
    const jar = new CookieJar();
    const response = (...lines: readonly string[]): Response =>
      new Response('', { headers: lines.map((line): [string, string] => ['set-cookie', line]) });
    jar.take(response('a=1; HttpOnly; Path=/', 'b=x=y; SameSite=Lax', 'c=3'));
    expect(jar.header).toBe('a=1; b=x=y; c=3');
    expect(jar.cookies[0]).toEqual({ name: 'a', value: '1', attributes: ['httponly', 'path=/'] });
    jar.take(response('a=; Path=/', 'c=3; Max-Age=0', 'b=2'));
    expect([jar.header, jar.get('a'), jar.get('b')]).toEqual(['b=2', undefined, '2']);
  });
});

describe('Browser', () => {
  it('brings the cookies that it was given, and follows redirects within one origin', async () => {
    const server = createServer((request, response) => {
      const { url = '', headers } = request;
      if (url === '/a') response.writeHead(303, { location: '/b', 'set-cookie': 'seen=a' }).end();
      else if (url === '/b')
        response.writeHead(302, { location: 'https://app.example/cb?code=1' }).end(headers.cookie);
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const browser = new Browser();
    const last = await browser.follow(await browser.get(`${origin}/a`), origin);
    expect([last.headers.get('location'), await last.text()]).toEqual([
      'https://app.example/cb?code=1',
      'seen=a',
    ]);
    server.close();
  });
});

describe('passPages', () => {
  const credentials = { email: 'ada@example.com', password: 'right' };
  const form = (action: string, rest: string): string =>
    `<form method="post" action="${action}">${rest}</form>`;
  const LOGIN = form(
    'login',
    '<input name="email"><input type="password" name="password"><button>Go</button>',
  );
  const CONSENT = form(
    'consent',
    '<button name="decision" value="deny">Nein</button><button name="decision" value="allow">Ja</button>',
  );
  let origin = '';
  const server = createServer((request, response) => {
    const show = (html: string): unknown =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    const lead = (location: string): unknown => response.writeHead(303, { location }).end();
    void text(request).then((body) => {
      const step = `${request.method} ${request.url}`;
      if (step === 'GET /authorize') return lead('/login');
      if (step === 'GET /login') return show(LOGIN);
      if (step === 'POST /login') return body.includes('password=right') ? lead('/consent') : show(LOGIN);
      if (step === 'GET /consent') return show(CONSENT);
      if (step === 'POST /consent')
        return body === 'decision=allow' ? lead('https://app.example/cb') : show('');
      return show(step.includes('circle') ? CIRCLE : form('https://app.example/consent', ''));
    });
  });
  const CIRCLE = form('/circle/consent', '<button>On</button>');
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('signs in and allows, whatever language the buttons have, until the browser leaves the site', async () => {
    const browser = new FormBrowser();
    const end = await passPages(browser, await browser.open(`${origin}/authorize`), credentials);
    expect([end.kind, end.url.href, end.status]).toEqual(['departure', 'https://app.example/cb', 303]);
  });

  it('goes on from a response that another browser has', async () => {
    const browser = new Browser();
    const forms = new FormBrowser(browser);
    const first = await forms.show(await browser.get(`${origin}/authorize`), origin);
    expect((await passPages(forms, first, credentials)).response.headers.get('location')).toContain('/cb');
  });

  it('ends at the sign-in page that rejected, and at a page that no sign-in has', async () => {
    const browser = new FormBrowser();
    const wrong = { ...credentials, password: 'wrong' };
    const rejected = await passPages(browser, await browser.open(`${origin}/login`), wrong);
    expect([rejected.kind, await rejected.response.text()]).toEqual(['page', LOGIN]);
    const other = await passPages(browser, await browser.open(`${origin}/posts-a-response`), credentials);
    expect([other.kind, other.url.pathname]).toEqual(['page', '/posts-a-response']);
  });

  it('fails where the pages come in circles', async () => {
    const browser = new FormBrowser();
    const circle = passPages(browser, await browser.open(`${origin}/circle`), credentials);
    await expect(circle).rejects.toThrow('More than 6 pages');
  });
});

it('sign-in pulls no other code of the testkit in', () => {
  const folder = new URL('.', import.meta.url);
  const files = readdirSync(folder).filter((name) => !name.endsWith('.test.ts'));
  const imported = files.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from),
  );
  expect([...new Set(imported)].filter((from) => !from?.startsWith('./'))).toEqual(['node-html-parser']);
});
