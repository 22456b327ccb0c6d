import { freePort } from '@trellis/dev-stores';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWebApplication, type WebApplication } from './start-web-application.ts';

const config = {
  issuer: 'http://localhost:7001',
  clientId: 'trellis-web',
  graph: 'http://localhost:7000/graphql',
};

describe('the sample application', () => {
  let application: WebApplication;
  let address: string;
  let page: Response;
  let html: string;
  const printed: string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    const print = (line: string): void => void printed.push(line);
    application = await startWebApplication({ port, host: '127.0.0.1', config, print });
    page = await fetch(address); // waits for the build
    html = await page.text();
  });
  afterAll(() => application.close());

  it('is built and served, each page of it at its own path', async () => {
    expect([page.status, printed]).toEqual([200, []]);
    expect(html).toContain('<div id="root">');
    expect(await textOf('/posts/1/edit')).toBe(html);
  });

  it('has a policy that allows no inline script, no inline style and no other server', () => {
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).not.toMatch(/unsafe|\*|data:/);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(
      "connect-src 'self' http://localhost:7001 http://localhost:7000 ws://localhost:7000;",
    );
    expect(html).not.toMatch(/<script>|<style|style=|https?:\/\/(?!www\.w3\.org)/);
  });

  it('finds the rest of the platform by /config.json, which is never stored', async () => {
    const response = await fetch(`${address}/config.json`);
    expect(await response.json()).toEqual(config);
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it('is stored by browsers for ever where names change with the content, and asked about elsewhere', async () => {
    const asset = /\/assets\/[\w-]+\.js/.exec(html)?.[0] ?? '';
    const response = await fetch(`${address}${asset}`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const headers = { 'if-none-match': page.headers.get('etag') ?? '' };
    expect((await fetch(address, { headers })).status).toBe(304);
  });

  it.each(['/assets/none.js', '/../package.json', '/%2e%2e/package.json', '/..%2fpackage.json'])(
    'has no file %s',
    async (path) => {
      expect((await fetch(`${address}${path}`)).status).toBe(404);
    },
  );

  it('is read, not written to', async () => {
    expect((await fetch(address, { method: 'POST', body: 'x' })).status).toBe(405);
  });

  async function textOf(path: string): Promise<string> {
    return (await fetch(`${address}${path}`)).text();
  }
});
