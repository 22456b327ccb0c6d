import { describe, expect, it } from 'vitest';
import { FormBrowser, type Departure, type Page } from '@trellis/testkit/sign-in';
import { exactClient } from '../harness/registered-clients.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { asksForPassword } from '../harness/sign-in.ts';

const { issuer } = sharedPlatform().addresses;
const [registered = ''] = exactClient.redirect_uris;

/** A request of a public client that is right in every way. */
const good: Readonly<Record<string, string>> = {
  response_type: 'code',
  client_id: exactClient.client_id,
  redirect_uri: registered,
  scope: 'openid read:data',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  state: 'the-state',
};

describe('GET /authorize', () => {
  it('shows the sign-in page for a request that is right', async () => {
    const result = await authorize({});
    expect(isSignInPage(result)).toBe(true);
  });

  it('ignores parameters that it does not know, whatever their names (A-005, A-011)', async () => {
    for (const name of ['utm_source', '__proto__', 'constructor', 'scope[]', 'a[b][c]'])
      expect(isSignInPage(await authorize({ [name]: 'x' }))).toBe(true);
  });

  it('shows a page, redirects no user and asks for no password when the client is unknown (A-034)', async () => {
    for (const clientId of ['unknown', '', '__proto__', "x'; DROP TABLE clients; --"])
      expectErrorPage(await authorize({ client_id: clientId }));
  });

  const nearMisses = [
    `${registered}/`,
    `${registered}?`,
    `${registered}?x=1`,
    `${registered}#f`,
    `${registered}.`,
    `${registered}%20`,
    `${registered} `,
    ` ${registered}`,
    `${registered}\r\n`,
    `${registered}\0`,
    `${registered}/../signed-in`,
    `${registered}/..`,
    registered.toUpperCase(),
    registered.replace('https', 'HTTPS'),
    registered.replace('https', 'http'),
    registered.replace('app.example.com', 'APP.example.com'),
    registered.replace('app.example.com', 'app.example.com.'),
    registered.replace('app.example.com', 'app.example.com:443'),
    registered.replace('app.example.com', 'app.example.com:8443'),
    registered.replace('app.example.com', 'app.example.com@evil.example'),
    registered.replace('app.example.com', 'user@app.example.com'),
    registered.replace('app.example.com', 'evil.example\\@app.example.com'),
    registered.replace('app.example.com', 'sub.app.example.com'),
    registered.replace('app.example.com', 'app.example.com.evil.example'),
    registered.replace('app.example.com', 'xapp.example.com'),
    registered.replace('app.example.com', 'аpp.example.com'),
    registered.replace('signed-in', 'Signed-in'),
    registered.replace('signed-in', 'signed%2Din'),
    registered.replace('signed-in', '/signed-in'),
    registered.replace('https://', 'https:/'),
    registered.replace('https://', '//'),
    registered.replace('https:', ''),
    '/signed-in',
    'javascript:alert(1)',
    'data:text/html,x',
    'com.example.app:/signed-in',
    '*',
  ];

  it(`rejects ${nearMisses.length} redirect URIs that are nearly right, on a page (A-036, A-059)`, async () => {
    for (const uri of nearMisses) expectErrorPage(await authorize({ redirect_uri: uri }), uri);
  });

  it("rejects another client's redirect URI, and none where there is a choice (A-035, A-037)", async () => {
    expectErrorPage(await authorize({ redirect_uri: 'http://127.0.0.1/callback' }));
    expectErrorPage(await authorize({ redirect_uri: '' }));
  });

  it('lets the native demo client have any port of 127.0.0.1, and nothing else (A-040, A-041)', async () => {
    const native = { client_id: 'trellis-cli' };
    for (const uri of [
      'http://127.0.0.1:8080/callback',
      'http://127.0.0.1:49152/callback',
      'http://127.0.0.1/callback',
    ])
      expect(isSignInPage(await authorize({ ...native, redirect_uri: uri })), uri).toBe(true);
    for (const uri of [
      'http://localhost:8080/callback',
      'https://127.0.0.1:8080/callback',
      'http://127.0.0.2:8080/callback',
      'http://127.1:8080/callback',
      'http://0x7f000001:8080/callback',
      'http://127.0.0.1:8080/other',
      'http://127.0.0.1:8080/callback/',
      'http://127.0.0.1:8080/callback?x=1',
      'http://127.0.0.1:65536/callback',
      'http://127.0.0.1:8080@evil.example/callback',
    ])
      expectErrorPage(await authorize({ ...native, redirect_uri: uri }), uri);
  });

  it('A2: lets the demo web app have the ports of development servers, to the letter', async () => {
    const web = { client_id: 'trellis-web', scope: 'openid read:data read:profile' };
    for (const port of [3000, 5173, 8080, 4200])
      for (const host of ['localhost', '127.0.0.1'])
        for (const path of ['/callback', '/'])
          expect(
            isSignInPage(await authorize({ ...web, redirect_uri: `http://${host}:${port}${path}` })),
          ).toBe(true);
    for (const uri of [
      'http://localhost:3001/callback',
      'https://localhost:3000/callback',
      'http://localhost/callback',
    ])
      expectErrorPage(await authorize({ ...web, redirect_uri: uri }), uri);
  });

  it('says by redirect what else is wrong, with state and issuer (A-042, A-043, A-045, A-046, A-049, A-052)', async () => {
    const wrong: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [{ response_type: '' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: 'id_token' }, 'unsupported_response_type'],
      [{ response_type: 'code token' }, 'unsupported_response_type'],
      [{ response_type: 'CODE' }, 'unsupported_response_type'],
      [{ code_challenge: '' }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: '' }, 'invalid_request'],
      [{ code_challenge_method: 's256' }, 'invalid_request'],
      [{ code_challenge: 'tooshort' }, 'invalid_request'],
      [{ code_challenge: 'x'.repeat(44) }, 'invalid_request'],
      [{ scope: 'openid write:data' }, 'invalid_scope'],
      [{ scope: 'openid "quoted"' }, 'invalid_scope'],
      [{ request: 'e30.e30.' }, 'request_not_supported'],
    ];
    for (const [difference, error] of wrong) {
      const { kind, url } = await authorize(difference);
      expect(kind, JSON.stringify(difference)).toBe('departure');
      expect(url.href.startsWith(`${registered}?`)).toBe(true);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({ error, state: 'the-state', iss: issuer });
      expect(url.searchParams.get('error_description') ?? '').not.toMatch(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/);
    }
  });

  it('rejects a parameter that comes twice; on a page when it is the client or the redirect URI (A-006)', async () => {
    for (const name of ['client_id', 'redirect_uri']) {
      const url = requestUrl({});
      url.searchParams.append(name, good[name] ?? '');
      expectErrorPage(await new FormBrowser().open(url));
    }
    const url = requestUrl({});
    url.searchParams.append('scope', 'openid');
    const result = await new FormBrowser().open(url);
    expect(result.kind).toBe('departure');
    expect(result.url.searchParams.get('error')).toBe('invalid_request');
  });

  it('does the same for POST (A-032)', async () => {
    const browser = new FormBrowser();
    const result = await browser.send(new URL(`${issuer}/authorize`), good, 'https://app.example.com');
    expect(isSignInPage(result)).toBe(true);
  });

  it('answers no other origin, and is shown in no frame (A-033, A-074)', async () => {
    const page = await authorize({});
    if (page.kind !== 'page') throw new Error('No page was shown.');
    expect([...page.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('survives malformed requests without a failure of its own (A-009, A-010)', async () => {
    for (const query of [
      '%',
      '%00',
      'client_id=%ff%fe',
      `client_id=${'x'.repeat(10_000)}`,
      '&&&==',
      'a=b&'.repeat(3000),
    ]) {
      const response = await fetch(`${issuer}/authorize?${query}`, { redirect: 'manual' });
      await response.body?.cancel();
      expect([query.slice(0, 20), Math.floor(response.status / 100)]).toEqual([query.slice(0, 20), 4]);
    }
  });

  it('escapes what it shows of a request (A-058)', async () => {
    const result = await authorize({ client_id: '<script>alert(1)</script>', state: '"><img src=x>' });
    expectErrorPage(result);
    expect((result as Page).html).not.toContain('<script>alert');
    expect((result as Page).html).not.toMatch(/<img (?!src="[^"]*\/assets\?name=)/);
  });
});

function requestUrl(difference: Readonly<Record<string, string>>): URL {
  const url = new URL(`${issuer}/authorize`);
  for (const [name, value] of Object.entries({ ...good, ...difference }))
    if (value !== '') url.searchParams.set(name, value);
  return url;
}

function authorize(difference: Readonly<Record<string, string>>): Promise<Page | Departure> {
  return new FormBrowser().open(requestUrl(difference));
}

function isSignInPage(result: Page | Departure): boolean {
  return result.kind === 'page' && result.status === 200 && asksForPassword(result);
}

/** A page that says what is wrong: it leads nowhere and asks for nothing. */
function expectErrorPage(result: Page | Departure, what = ''): void {
  if (result.kind !== 'page') throw new Error(`${what}: sent to ${result.url.href}`);
  expect([what, Math.floor(result.status / 100)]).toEqual([what, 4]);
  expect(result.headers.get('content-type')).toMatch(/^text\/html/);
  expect(result.headers.get('content-security-policy')).toBeTruthy();
  expect(result.document.querySelectorAll('form, input, meta[http-equiv=refresh]').length).toBe(0);
  // Ways on: to this server, and to an application that someone has looked at.
  const links = result.document.querySelectorAll('a[href]').map((link) => link.getAttribute('href') ?? '');
  const known = [new URL(issuer).hostname, 'app.example.com'];
  for (const link of links) expect(known).toContain(new URL(link).hostname);
}
