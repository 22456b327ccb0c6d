import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { hashSource } from './page.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

/** What browsers send when they go to an address. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
};
const nothing = { error: 'Not Found' };

let graph: LibraryGraph;
let gateway: TestGateway;
let production: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  [gateway, production] = await Promise.all([
    startTestGateway({
      subgraphs: graph.all,
      settings: `{ pages: { title: 'A "<b>" & co', links: { Handbook: 'https://docs.example/?a=1&b=2' } } }`,
      environment: {
        PAGE_LINKS: 'Your_account=http://localhost:4001/account',
        ERROR_REFERENCE: 'http://localhost:4030/errors.html',
      },
    }),
    startTestGateway({ subgraphs: graph.all, settings: '{}', environment: { NODE_ENV: 'production' } }),
  ]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), production.close()]);
  await graph.close();
});

function visit({ url }: TestGateway, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${url}/`, { headers: { ...BROWSER, ...headers } });
}

describe('The landing page', () => {
  it('A1: is what a browser finds at /, with name, version, command and links', async () => {
    const response = await visit(gateway);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain('<h1>A &quot;&lt;b&gt;&quot; &amp; co</h1>');
    expect(text).toContain(`curl ${gateway.url}/graphql -H &#39;content-type: application/json&#39;`);
    expect(text).toContain('<dd>0.1.0</dd>');
    expect(text).toContain('<dd>books, people</dd>');
    expect(text).toContain('<a href="http://localhost:4001/account">Your account</a>');
    expect(text).toContain('<a href="https://docs.example/?a=1&amp;b=2">Handbook</a>');
    expect(text).toContain('<a href="http://localhost:4030/errors.html">Codes of errors</a>');
  });

  it('A1: shows a command that a shell and the graph take', async () => {
    const text = await (await visit(gateway)).text();
    const body = /-d &#39;(.*)&#39;/.exec(text)?.[1]?.replaceAll('&quot;', '"');
    expect((await gateway.post(body)).body.data).toHaveProperty('__schema');
  });

  it('loads nothing, is in no frame and runs no script', async () => {
    const response = await visit(gateway);
    const { headers } = response;
    const style = /<style>([^]*)<\/style>/.exec(await response.text())?.[1] ?? '';
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`default-src 'none'; style-src ${hashSource(style)}; `);
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toContain('Accept, Accept-Language');
  });

  it.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'de', 'Explorer öffnen'],
    ['fr, zh-Hans-CN;q=0.8, en;q=0.1', 'zh', '第一个请求'],
    ['fr', 'en', 'Open the explorer'],
    ['*', 'en', 'Open the explorer'],
    [`${'x-y,'.repeat(500)}de`, 'en', 'Open the explorer'],
  ])('is in the language of %.30s', async (accepted, language, words) => {
    const text = await (await visit(gateway, { 'accept-language': accepted })).text();
    expect(text).toContain(`<html lang="${language}" dir="ltr">`);
    expect(text).toContain(words);
  });

  it('takes no host into its command that is none', async () => {
    await production.reload({ pages: { enabled: true } }); // in development it would be rejected
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { ...BROWSER, host: "a';rm" };
      request(production.url, { headers }, (response) => {
        response
          .setEncoding('utf8')
          .toArray()
          .then((parts) => resolve(parts.join('')), reject);
      })
        .on('error', reject)
        .end();
    });
    expect(text).toContain('http://localhost/graphql');
    expect(text).not.toContain('rm');
    await production.reload({});
  });

  it.each(['application/json', '*/*', 'application/json, text/html', 'text/html;q=0'])(
    'is not for a client that accepts %s',
    async (accept) => {
      const response = await visit(gateway, { accept });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject(nothing);
    },
  );

  it.each([
    ['en', 'There is no page here'],
    ['de', 'Hier ist keine Seite'],
    ['zh', '此处没有页面'],
  ])('A1: is where a page leads to that says that nothing is at an address: %s', async (language, title) => {
    const headers = { ...BROWSER, 'accept-language': language };
    const missing = await fetch(`${gateway.url}/nothing"<b>`, { headers });
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const text = await missing.text();
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain('<a href="/">');
    expect(text).not.toContain('<b>');
    const [forOthers, inProduction] = await Promise.all([
      fetch(`${gateway.url}/nothing`, { headers: { accept: '*/*' } }),
      fetch(`${production.url}/nothing`, { headers }),
    ]);
    for (const response of [forOthers, inProduction])
      expect([response.status, await response.json()]).toEqual([404, expect.objectContaining(nothing)]);
  });

  it('does not exist in production, unless it is switched on', async () => {
    const before = await visit(production);
    expect(before.status).toBe(404);
    expect(await before.json()).toMatchObject(nothing);
    writeFileSync(join(production.directory, 'gateway.yaml'), '{ pages: { enabled: true } }');
    await expect.poll(async () => (await visit(production)).status).toBe(200);
  });
});
