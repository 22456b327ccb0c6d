import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { freePort } from '@trellis/dev-stores';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebServer } from '../serve-files.ts';
import { startDocumentationSite } from './start-documentation-site.ts';

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const PAGE = `<!doctype html><script>document.title = 1</script><script src="/app.js"></script><p style="color:red">Errors</p>`;

describe('The documentation site', () => {
  const directory = createTemporaryDirectory();
  const folder = join(directory.path, 'dist');
  const printed: string[] = [];
  const builds: (() => void)[] = [];
  let server: WebServer;
  let address: string;
  let ended: AbortSignal | undefined;

  beforeAll(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    writeFileSync(join(directory.path, 'secret.html'), 'secret');
    server = await startDocumentationSite({
      port,
      host: '127.0.0.1',
      print: (line) => void printed.push(line),
      folder,
      build: (signal) => {
        ended = signal;
        return new Promise((resolve, reject) => {
          builds.push(() => (printed.length === 0 ? reject(new Error('No <network>.')) : resolve()));
        });
      },
    });
  });
  afterAll(() => directory.remove());

  const press = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${address}/errors.html`, { method: 'POST', headers, redirect: 'manual' });

  it('says at each address that it is not built, by a page without a script', async () => {
    const response = await fetch(`${address}/errors.html`);
    expect(response.status).toBe(503);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    );
    expect(await response.text()).toContain('<button>Build it</button>');
  });

  it.each(['cross-site', 'same-site', 'none'])(
    'is not built because a page elsewhere says so: %s',
    async (site) => {
      expect((await press({ 'sec-fetch-site': site })).status).toBe(403);
      expect((await press({})).status).toBe(403);
      expect(builds).toHaveLength(0);
    },
  );

  it('is not built by a page whose name leads to this machine', async () => {
    const request = httpRequest(`${address}/`, {
      method: 'POST',
      headers: { ...SAME_ORIGIN, host: 'rebound.example:4030' },
    }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    expect([response.statusCode, builds.length]).toEqual([403, 0]);
  });

  it('is built once by its button, and says why when that fails', async () => {
    const responses = await Promise.all([press(SAME_ORIGIN), press(SAME_ORIGIN)]);
    expect(responses.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, '/errors.html'],
      [303, '/errors.html'],
    ]);
    expect(builds).toHaveLength(1);
    expect(await textOf('/')).toContain('is being built');
    builds[0]?.();
    await expect.poll(() => printed).toEqual(['No <network>.']);
    expect(await textOf('/')).toContain('No &lt;network>.');
    await press(SAME_ORIGIN);
    expect(builds).toHaveLength(2);
  });

  it('leads back to itself after the button, whatever the address', async () => {
    const response = await fetch(`${address}//elsewhere.example/`, {
      method: 'POST',
      headers: SAME_ORIGIN,
      redirect: 'manual',
    });
    expect(response.headers.get('location')).toBe('/elsewhere.example/');
  });

  it('is served when it is built: scripts and styles of a page by their digests, everything else from here', async () => {
    mkdirSync(join(folder, 'assets'), { recursive: true });
    for (const [name, text] of [
      ['index.html', PAGE],
      ['errors.html', PAGE],
      ['404.html', 'Nothing'],
      ['assets/app.a1b2.js', 'x'],
    ] as const)
      writeFileSync(join(folder, name), text);
    const response = await fetch(`${address}/errors.html?a=b`);
    expect(await response.text()).toBe(PAGE);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/=]+';/);
    expect(policy).toMatch(/style-src 'self' 'unsafe-hashes' 'sha256-[\w+/=]+';/);
    expect(policy).not.toMatch(/unsafe-inline|https?:/);
    expect((await fetch(`${address}/assets/app.a1b2.js`)).headers.get('cache-control')).toContain(
      'immutable',
    );
    expect(await textOf('/')).toBe(PAGE);
  });

  it.each(['/none.html', '/../secret.html', '/%2e%2e/secret.html', '/..%2fsecret.html', '/%00', '/%'])(
    'has no page %s',
    async (path) => {
      const response = await fetch(`${address}${path}`);
      expect([response.status, await response.text()]).toEqual([404, 'Nothing']);
    },
  );

  it('is read, not written to', async () => {
    expect((await fetch(address, { method: 'PUT', body: 'x' })).status).toBe(405);
  });

  it('ends a build that is under way when it ends', async () => {
    await server.close();
    expect(ended?.aborted).toBe(true);
  });

  async function textOf(path: string): Promise<string> {
    return (await fetch(`${address}${path}`)).text();
  }
});
