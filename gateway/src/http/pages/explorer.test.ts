import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createTemporaryDirectory } from '@trellis/testkit';
import { loadExplorer } from '@trellis/explorer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'user-agent': 'Mozilla/5.0' };
const FROM_ELSEWHERE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
const MAX_BYTES = 1_000_000;

let graph: LibraryGraph;
let gateway: TestGateway;
let production: TestGateway;
let usageFolder: ReturnType<typeof createTemporaryDirectory>;

beforeAll(async () => {
  graph = await startLibraryGraph();
  usageFolder = createTemporaryDirectory();
  const usage = JSON.stringify({ usage: { directory: usageFolder.path } });
  const issuer = {
    TOKEN_ISSUER: 'http://localhost:4001',
    TOKEN_AUDIENCE: 'http://localhost:4000/graphql',
    TOKEN_JWKS_URL: 'http://localhost:4001/jwks.json',
  };
  [gateway, production] = await Promise.all([
    startTestGateway({ subgraphs: graph.all, settings: usage, environment: issuer }),
    startTestGateway({ subgraphs: graph.all, settings: usage, environment: { NODE_ENV: 'production' } }),
  ]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), production.close()]);
  usageFolder.remove();
  await graph.close();
});

function visit(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  at = gateway,
): Promise<Response> {
  return fetch(at.url + path, { headers: { ...PAGE, ...headers }, redirect: 'manual' });
}

/** What the page is given, and the addresses of its files. */
async function openPage(
  path = '/explorer',
  at = gateway,
): Promise<{ settings: unknown; files: readonly string[]; headers: Headers }> {
  const response = await visit(path, {}, at);
  expect(response.status).toBe(200);
  const text = await response.text();
  const given = /data-settings="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '';
  const files = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file = '']) => file);
  return { settings: JSON.parse(given), files, headers: response.headers };
}

describe('The explorer', () => {
  it.each(['/explorer', '/explorer/callback', '/explorer/signed-out'])('A1: is at %s', async (path) => {
    const { settings, files } = await openPage(path);
    expect(files).toHaveLength(2);
    expect(settings).toEqual({
      title: 'Trellis',
      graphPath: '/graphql',
      streamPath: '/graphql/stream',
      issuer: 'http://localhost:4001',
      clientId: 'trellis-explorer',
      scopes: [
        'openid',
        'profile',
        'offline_access',
        'admin',
        'read:data',
        'read:notes',
        'read:profile',
        'read:secret',
      ],
      errorMeanings: expect.objectContaining({ FORBIDDEN: expect.any(String) }),
      eventsPath: '/explorer/events',
      fieldUsersPath: '/explorer/field-users',
      examples: [],
    });
  });

  it('A1: is where a browser gets that goes to the graph, with the query of the address, wherever it comes from', async () => {
    const response = await visit('/graphql?query=%7Bpublic%7D&variables=%7B%7D', FROM_ELSEWHERE);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/explorer?query=%7Bpublic%7D&variables=%7B%7D');
    expect(response.headers.get('vary')).toContain('Accept');
    expect(graph.requests()).toBe(0);
  });

  it('says who uses a field, to a developer alone', async () => {
    const client = { 'apollographql-client-name': 'web', 'apollographql-client-version': '7' };
    const query = 'query { ...F } fragment F on Query { public }';
    for (const at of [gateway, production]) await at.post({ query }, client);
    await gateway.post({ query: '{ public }' }, client);
    await gateway.post({ query: '{ public }' });
    const ask = (field: string, headers = {}, at = gateway): Promise<Response> =>
      visit(`/explorer/field-users?field=${field}`, headers, at);
    expect(await (await ask('Query.public')).json()).toEqual({
      field: 'Query.public',
      users: [
        { name: 'web', version: '7', requests: 2, lastUsed: expect.any(String) },
        { name: 'unknown', version: '', requests: 1, lastUsed: expect.any(String) },
      ],
      further: 0,
      missingWorkers: 0,
    });
    expect(await (await ask('Query.none')).json()).toMatchObject({ field: 'Query.none', users: [] });
    expect((await ask('<b>')).status).toBe(400);
    expect((await ask('Query.public', FROM_ELSEWHERE)).status).toBe(404);
    expect((await ask('Query.public', {}, production)).status).toBe(404);
  });

  it('leaves the rules against forged requests as they are', async () => {
    const response = await visit('/graphql?query=%7Bpublic%7D', { ...FROM_ELSEWHERE, accept: '*/*' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('CSRF_PREVENTED');
    const stream = await visit('/graphql/stream?query=%7Bpublic%7D', FROM_ELSEWHERE);
    expect(await stream.text()).toContain('CSRF_PREVENTED');
  });

  it('has a policy of its own: scripts and styles from here, a nonce that no other page has, requests to here and to the issuer', async () => {
    const [first, second] = [await openPage(), await openPage()];
    const policy = first.headers.get('content-security-policy') ?? '';
    expect(policy.replace(/nonce-[\w-]{24}/, 'nonce')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce'; connect-src 'self' http://localhost:4001; " +
        "img-src data:; base-uri 'none'; form-action 'self' http://localhost:4001; frame-ancestors 'none'",
    );
    expect(policy).not.toBe(second.headers.get('content-security-policy'));
    expect(first.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('is less than 1 MB, compressed in advance, and cached for ever', async () => {
    const { files } = await openPage();
    let bytes = 0;
    for (const file of files) {
      expect(file).toMatch(/^\/explorer\/assets\/[\w]+-[\dA-Z]{8}\.(?:js|css)$/);
      const plain = await visit(file, { 'accept-encoding': 'identity' });
      const length = Number(plain.headers.get('content-length'));
      const gzipped = await fetch(gateway.url + file, { headers: { 'accept-encoding': 'gzip' } });
      expect(gzipped.headers.get('content-encoding')).toBe('gzip');
      expect(gzipped.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(gzipped.headers.get('vary')).toContain('Accept-Encoding');
      bytes += Number(gzipped.headers.get('content-length'));
      expect(length).toBeGreaterThan(Number(gzipped.headers.get('content-length')));
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('names no other host in its files, but in the words of libraries', async () => {
    const { files } = await loadExplorer();
    for (const { content, compressed } of files.values()) {
      expect(gunzipSync(compressed.gzip).equals(content)).toBe(true);
      expect(content.toString()).not.toMatch(/@import|url\(["']?https?:|importScripts|cdn|unpkg|jsdelivr/);
    }
  });

  it.each(['manifest.json', '..%2f..%2fpackage.json', '__proto__', 'main-AAAAAAAA.js'])(
    'has no file %s',
    async (file) => {
      expect((await visit(`/explorer/assets/${file}`)).status).toBe(404);
    },
  );

  it.each(['/explorer', '/explorer/callback', '/graphql', '/'])(
    'does not exist in production: %s is what it is for any client',
    async (path) => {
      const [forBrowser, forOthers] = await Promise.all([
        visit(path, {}, production),
        visit(path, { accept: '*/*' }, production),
      ]);
      expect(forBrowser.status).toBe(forOthers.status);
      expect(forBrowser.headers.get('content-type')).toContain('application/json');
      const [file] = [...(await loadExplorer()).files.keys()];
      expect((await visit(`/explorer/assets/${file}`, {}, production)).status).toBe(404);
    },
  );

  it('offers the operations of a folder, in the order of their names', async () => {
    const folder = join(gateway.directory, 'examples');
    mkdirSync(folder);
    writeFileSync(join(folder, 'b.graphql'), '# The second one\n{ public }');
    writeFileSync(join(folder, 'a.graphql'), '{ public }');
    writeFileSync(join(folder, 'notes.txt'), 'no operation');
    writeFileSync(join(gateway.directory, 'gateway.yaml'), JSON.stringify({ pages: { examples: folder } }));
    await expect
      .poll(async () => (await openPage()).settings)
      .toMatchObject({
        examples: [
          { title: 'a.graphql', query: '{ public }' },
          { title: 'The second one', query: '# The second one\n{ public }' },
        ],
      });
  });

  it('has no examples where the folder does not exist, and the log says so', async () => {
    writeFileSync(
      join(gateway.directory, 'gateway.yaml'),
      '{ pages: { examples: /nowhere, scopes: [openid] } }',
    );
    await expect
      .poll(async () => (await openPage()).settings)
      .toMatchObject({ examples: [], scopes: ['openid'] });
    expect(gateway.logged()).toContainEqual(
      expect.objectContaining({ msg: 'examples of the explorer cannot be read', setting: 'pages.examples' }),
    );
  });

  it('says who uses a field to no one in production, where the explorer is switched on', async () => {
    await production.post({ query: '{ public }' });
    const settings = { usage: { directory: usageFolder.path }, pages: { enabled: true } };
    writeFileSync(join(production.directory, 'gateway.yaml'), JSON.stringify(settings));
    await expect.poll(async () => (await visit('/explorer', {}, production)).status).toBe(200);
    const page = await openPage('/explorer', production);
    expect(page.settings).not.toHaveProperty('fieldUsersPath');
    expect((await visit('/explorer/field-users?field=Query.public', {}, production)).status).toBe(404);
  });
});
