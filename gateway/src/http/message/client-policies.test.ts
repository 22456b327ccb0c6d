import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startTestRedis } from '@trellis/testkit';
import WebSocket from 'ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEventGraph } from '../../testing/event-graph.ts';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { sendRaw } from '../../testing/send-raw.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../../testing/token-issuer.ts';
import { until } from '../../testing/until.ts';

let graph: LibraryGraph;
let issuer: TokenIssuer;
const running: TestGateway[] = [];

beforeAll(async () => {
  graph = await startLibraryGraph();
  issuer = await startTokenIssuer();
});
afterAll(async () => {
  await graph.close();
  await issuer.close();
});
beforeEach(() => graph.forget());
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.close();
});

async function start(
  options: Omit<Parameters<typeof startTestGateway>[0], 'subgraphs'>,
): Promise<TestGateway> {
  const gateway = await startTestGateway({ subgraphs: graph.all, ...options });
  running.push(gateway);
  return gateway;
}

const PUBLIC = { query: '{ public }' };

const tokenEnvironment = (): Readonly<Record<string, string>> => ({
  TOKEN_ISSUER: issuer.issuer,
  TOKEN_AUDIENCE: issuer.audience,
  TOKEN_JWKS_URL: issuer.jwksUrl,
});

/** What becomes of a WebSocket that a page opens. */
async function webSocketFrom(gateway: TestGateway, origin: string): Promise<string> {
  const address = `${gateway.url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, 'graphql-transport-ws', { origin });
  const events = ['open', 'unexpected-response'] as const;
  const outcome = await Promise.race(events.map((event) => once(socket, event).then(() => event)));
  socket.on('error', () => undefined).terminate();
  return outcome;
}

describe('CORS', () => {
  const preflight = (gateway: TestGateway, origin: string): Promise<Response> =>
    fetch(`${gateway.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });

  it('lets the configured origins in, and no others', async () => {
    const gateway = await start({
      settings: 'http: { cors: { origins: ["https://app.example"], credentials: true, maxAgeS: 60 } }',
    });
    const allowed = await preflight(gateway, 'https://app.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(allowed.headers.get('access-control-allow-credentials')).toBe('true');
    expect(allowed.headers.get('access-control-max-age')).toBe('60');
    for (const origin of [
      'https://evil.example',
      'https://app.example.evil.example',
      'null',
      'http://app.example',
    ]) {
      expect((await preflight(gateway, origin)).headers.get('access-control-allow-origin')).not.toBe(origin);
    }
    const result = await gateway.post(PUBLIC, { origin: 'https://app.example' });
    expect(result.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(result.headers.get('access-control-expose-headers')).toContain('www-authenticate');
  });

  it('A2: lets loopback origins in during development, without cookies, and no others', async () => {
    const gateway = await start({});
    for (const origin of [
      'http://localhost:5173',
      'http://127.0.0.1:3000',
      'https://localhost',
      'http://[::1]:8080',
    ]) {
      const { status, headers } = await preflight(gateway, origin);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin]);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      const result = await gateway.post(PUBLIC, { origin });
      expect([result.status, result.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect(result.headers.get('vary')).toContain('Origin');
      expect(await webSocketFrom(gateway, origin)).toBe('open');
    }
    for (const origin of [
      'https://app.example',
      'http://localhost.evil.example',
      'http://evil.example#http://localhost',
      'http://localhost@evil.example',
      'http://127.0.0.1.evil.example',
      'ftp://localhost',
      'http://localhost:5173/',
      'null',
      '',
    ])
      expect((await preflight(gateway, origin)).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('A2: lets loopback origins in nowhere else: in production, or beside http.cors', async () => {
    const origin = 'http://localhost:5173';
    const production = await start({ environment: { NODE_ENV: 'production' } });
    const configured = await start({ settings: 'http: { cors: { origins: ["https://app.example"] } }' });
    for (const gateway of [production, configured]) {
      expect((await preflight(gateway, origin)).headers.get('access-control-allow-origin')).toBeNull();
      expect((await gateway.post(PUBLIC, { origin })).headers.get('access-control-allow-origin')).toBeNull();
      expect(await webSocketFrom(gateway, origin)).toBe('unexpected-response');
    }
  });

  it('says nothing where it is not configured', async () => {
    const gateway = await start({});
    const result = await gateway.post(PUBLIC, { origin: 'https://app.example' });
    expect(result.headers.get('access-control-allow-origin')).toBeNull();
    expect(
      (await preflight(gateway, 'https://app.example')).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });
});

describe('Hosts', () => {
  const ASKING = { 'content-type': 'application/json' };
  const BODY = JSON.stringify(PUBLIC);

  /** What becomes of a request by each way in: a plain one, one for the framework, a query by GET, a page, a WebSocket. */
  async function statusesFor(gateway: TestGateway, host: string): Promise<readonly number[]> {
    const get = (path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(gateway.url + path, { headers: { host, ...headers } }, (response) => {
          response.destroy();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', reject).end();
      });
    const origin = `http://${host.toLowerCase()}`;
    const plain = await sendRaw(gateway, { ...ASKING, host }, BODY);
    const framed = await sendRaw(gateway, { ...ASKING, host, origin }, BODY);
    const { socket } = new RawSocket(`${gateway.url}/graphql`, { headers: { host }, origin });
    const upgraded = await Promise.race([
      once(socket, 'open').then(() => 101),
      once(socket, 'unexpected-response').then(
        ([, response]) => (response as IncomingMessage).statusCode ?? 0,
      ),
    ]);
    socket.terminate();
    return [
      plain.status,
      framed.status,
      await get('/graphql?query=%7Bpublic%7D', {
        'apollo-require-preflight': '1',
        'x-forwarded-host': 'localhost',
      }),
      await get('/', { accept: 'text/html' }),
      await get('/explorer/events', {}),
      upgraded,
    ];
  }
  const SERVED = [200, 200, 200, 200, 200, 101];
  const SERVED_ELSEWHERE = [200, 200, 200, 200, 404, 101];
  const MISDIRECTED = [421, 421, 421, 421, 421, 421];

  it('DNS rebinding: a page of a site whose name leads to this machine reaches nothing in development', async () => {
    const gateway = await start({
      settings:
        '{ http: { trustProxy: true }, authentication: { dpopUrls: ["https://Graph.example/graphql"] } }',
    });
    const { port } = new URL(gateway.url);
    for (const host of [
      `rebound.example:${port}`,
      'rebound.example',
      `localhost.rebound.example:${port}`,
      `127.0.0.1.rebound.example:${port}`,
      `notlocalhost:${port}`,
      'x@localhost.example',
      '[::1].example',
    ])
      expect(await statusesFor(gateway, host), host).toEqual(MISDIRECTED);
    for (const host of ['localhost', 'LOCALHOST:1', 'desk.localhost:8080', '[::1]:4000'])
      expect(await statusesFor(gateway, host), host).toEqual(SERVED);
    // L9: who uses the graph, and what does not compose, is for those at this machine alone
    for (const host of ['10.1.2.3', 'graph.example'])
      expect(await statusesFor(gateway, host), host).toEqual(SERVED_ELSEWHERE);
    const { text } = await sendRaw(gateway, { ...ASKING, host: 'rebound.example' }, BODY);
    expect(JSON.parse(text)).toEqual({
      errors: [
        { message: expect.stringContaining('http.hosts'), extensions: { code: 'MISDIRECTED_REQUEST' } },
      ],
    });
  });

  it('are all served in production, and where http.hosts names some, those alone', async () => {
    const production = { NODE_ENV: 'production' };
    const open = await start({ settings: '{ pages: { enabled: true } }', environment: production });
    const closed = await start({ settings: '{ http: { hosts: [api.example] } }', environment: production });
    const ask = async (gateway: TestGateway, host: string): Promise<number> =>
      (await sendRaw(gateway, { ...ASKING, host }, BODY)).status;
    expect(await ask(open, 'other.example')).toBe(200);
    expect(await ask(closed, 'other.example')).toBe(421);
    expect(await ask(closed, 'API.example:443')).toBe(200);
    expect(await ask(closed, '127.0.0.1')).toBe(200);
  });
});

describe('Compression', () => {
  function postRaw(
    gateway: TestGateway,
    query: string,
    encoding: string,
  ): Promise<{ encoding?: string; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'accept-encoding': encoding };
      const sent = httpRequest(`${gateway.url}/graphql`, { method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ encoding: String(response.headers['content-encoding']), body: Buffer.concat(chunks) }),
        );
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ query }));
    });
  }
  const LARGE = '{ __schema { types { name description fields { name description } } } }';

  it('is done for those who accept it, and where it is worth it', async () => {
    const gateway = await start({});
    const plain = await postRaw(gateway, LARGE, 'identity');
    expect(plain.encoding).toBe('undefined');
    const gzip = await postRaw(gateway, LARGE, 'gzip');
    expect([gzip.encoding, gunzipSync(gzip.body).equals(plain.body)]).toEqual(['gzip', true]);
    const brotli = await postRaw(gateway, LARGE, 'gzip, br');
    expect([brotli.encoding, brotliDecompressSync(brotli.body).equals(plain.body)]).toEqual(['br', true]);
    expect((await postRaw(gateway, '{ public }', 'gzip')).encoding).toBe('undefined');
  });

  it('can be switched off', async () => {
    const gateway = await start({ settings: 'http: { compression: false }' });
    expect((await postRaw(gateway, LARGE, 'gzip')).encoding).toBe('undefined');
  });
});

describe('Headers by subgraph', () => {
  it('are forwarded, set and removed as configured', async () => {
    const gateway = await start({
      environment: { API_KEY: 'key-7' },
      settings: `
        headers:
          forward: [X-Tenant, accept-language]
          set: { x-gateway: trellis }
          subgraphs:
            books: { forward: [x-books], set: { X-Api-Key: "\${API_KEY}", x-gateway: books }, remove: [accept-language] }
            people: { remove: [x-gateway] }`,
    });
    const headers = { 'x-tenant': 'acme', 'accept-language': 'de', 'x-books': 'yes', 'x-api-key': 'mine' };
    await gateway.post({ query: '{ user(id: "user-1") { name books { title } } }' }, headers);
    const [people, books] = [graph.people.received[0]?.headers ?? {}, graph.books.received[0]?.headers ?? {}];
    expect(people).toMatchObject({ 'x-tenant': 'acme', 'accept-language': 'de' });
    expect([people['x-gateway'], people['x-books'], people['x-api-key']]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(books).toMatchObject({
      'x-tenant': 'acme',
      'x-books': 'yes',
      'x-api-key': 'key-7',
      'x-gateway': 'books',
    });
    expect(books['accept-language']).toBeUndefined();
  });

  it('a fixed Authorization goes with queries over HTTP and WebSocket, in the place of the client’s own', async () => {
    const gateway = await start({
      environment: { BOOKS_SECRET: 'of-the-gateway' },
      settings: `
        headers:
          forward: [authorization]
          subgraphs: { books: { set: { Authorization: "Bearer \${BOOKS_SECRET}" } }, people: { remove: [authorization] } }`,
    });
    const headers = { authorization: 'Bearer of-the-client' };
    const query = '{ user(id: "user-1") { name books { title } } }';
    expect((await gateway.post({ query }, headers)).body.errors).toBeUndefined();
    const socket = await RawSocket.connect(`${gateway.url}/graphql`, {}, { headers });
    socket.subscribe('1', query);
    expect(await socket.next()).toMatchObject({ type: 'next' });
    socket.close();
    const sent = (received: LibraryGraph['books']['received']): unknown[] =>
      received.map(({ headers: { authorization } }) => authorization);
    expect(sent(graph.books.received)).toEqual(['Bearer of-the-gateway', 'Bearer of-the-gateway']);
    expect(sent(graph.people.received)).toEqual([undefined, undefined]);
  });

  it('headers.forward of Authorization: the token goes on with queries, subscriptions and the fetches for their events', async () => {
    const events = await startEventGraph();
    const gateway = await startTestGateway({
      subgraphs: events.all,
      settings: 'headers: { forward: [authorization], fromPayload: [authorization] }',
      environment: tokenEnvironment(),
    });
    running.push(gateway);
    try {
      const bearer = async (sub: string): Promise<string> => `Bearer ${await issuer.sign({ sub })}`;
      const [http, upgrade, payload] = [
        await bearer('http'),
        await bearer('upgrade'),
        await bearer('payload'),
      ];
      const query = '{ user(id: "1") { name } }';
      const sent = (): unknown => events.people.received.at(-1)?.headers.authorization;
      await gateway.post({ query }, { authorization: http });
      expect(sent()).toBe(http);
      await gateway.post({ query });
      expect(sent()).toBeUndefined();
      for (const [init, options, token] of [
        [{}, { headers: { authorization: upgrade } }, upgrade],
        [{ authorization: payload }, {}, payload],
        [{ authorization: payload }, { headers: { authorization: upgrade } }, upgrade],
      ] as const) {
        events.news.forget();
        const socket = await RawSocket.connect(`${gateway.url}/graphql`, init, options);
        socket.subscribe('1', query);
        expect(await socket.next()).toMatchObject({ type: 'next' });
        expect(sent()).toBe(token);
        await socket.next(); // complete
        socket.subscribe('2', 'subscription { published { author { name } } }');
        await until(() => events.news.open() === 1);
        events.news.publish({ id: 'a', author: '2' });
        expect(await socket.next()).toMatchObject({ type: 'next', id: '2' });
        expect(events.news.subscribed[0]?.extensions).toMatchObject({ headers: { authorization: token } });
        expect(sent()).toBe(token);
        socket.close();
        await until(() => events.news.open() === 0);
      }
    } finally {
      await events.close();
    }
  });
});

describe('Rates', () => {
  const statuses = async (count: number, send: () => Promise<{ status: number }>): Promise<number[]> => {
    const all = [];
    for (let index = 0; index < count; index += 1) all.push((await send()).status);
    return all;
  };

  it('hold for an address: 429 with Retry-After, and no subgraph is asked', async () => {
    const gateway = await start({ settings: 'rateLimits: { perAddress: { operations: 3, windowS: 60 } }' });
    expect(await statuses(3, () => gateway.post(PUBLIC))).toEqual([200, 200, 200]);
    graph.forget();
    const result = await gateway.post(PUBLIC);
    expect(result.status).toBe(429);
    expect(Number(result.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(result.body.errors?.[0]?.extensions['code']).toBe('RATE_LIMITED');
    expect(graph.requests()).toBe(0);
  });

  it('G3: leave a caller so many milliseconds of planning: 429 with Retry-After and a sentence, others go on', async () => {
    const gateway = await start({
      environment: tokenEnvironment(),
      settings: 'planning: { callerMs: 60, windowS: 3600 }',
    });
    const headersOf = async (sub: string): Promise<Readonly<Record<string, string>>> => ({
      authorization: `Bearer ${await issuer.sign({ sub })}`,
    });
    const [ada, bob] = [await headersOf('ada'), await headersOf('bob')];
    const known = { query: 'query Known { public }' };
    // Sent once it would make room for the others.
    for (let use = 0; use < 2; use += 1) expect((await gateway.post(known, ada)).status).toBe(200);
    const next = async (number = 0): Promise<Awaited<ReturnType<typeof gateway.post>>> => {
      const result = await gateway.post({ query: `query Next${number} { public }` }, ada);
      return result.status === 200 && number < 1_000 ? next(number + 1) : result;
    };
    const result = await next();
    expect(result.status).toBe(429);
    expect(Number(result.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(result.body.errors?.[0]).toMatchObject({
      message: 'Too much time was spent on planning new operations. Retry later.',
      extensions: { code: 'RATE_LIMITED' },
    });
    expect((await gateway.post(known, ada)).status).toBe(200);
    expect((await gateway.post({ query: 'query Other { public }' }, bob)).status).toBe(200);
    const unreadable = { query: '{' };
    expect((await gateway.post(unreadable, ada)).status).toBe(429); // it was not even looked at
    const looked = await gateway.post(unreadable, bob);
    expect(looked.body.errors?.[0]?.extensions['code']).toBe('GRAPHQL_PARSE_ERROR');
  });

  it('count what is rejected, and look at nothing more of an address that is over its rate', async () => {
    const gateway = await start({ settings: 'rateLimits: { perAddress: { operations: 3, windowS: 60 } }' });
    const rejected = ['{', '{ nothing }', `{ ${'public '.repeat(1_000)} }`];
    for (const query of rejected) expect((await gateway.post({ query })).status).not.toBe(429);
    for (const query of [...rejected, '{ public }'])
      expect((await gateway.post({ query })).body.errors?.[0]?.extensions['code']).toBe('RATE_LIMITED');
    expect(graph.requests()).toBe(0);
  });

  it('S-053 count the root fields of every element of a batch', async () => {
    const gateway = await start({ settings: 'rateLimits: { perAddress: { operations: 20, windowS: 60 } }' });
    const four =
      'mutation { a: rename(id: "1", name: "x") { id } b: rename(id: "1", name: "x") { id } c: rename(id: "1", name: "x") { id } d: rename(id: "1", name: "x") { id } }';
    await gateway.post(Array.from({ length: 5 }, () => ({ query: four })));
    expect((await gateway.post(PUBLIC)).status).toBe(429);
  });

  it('hold for each user and for each client, through all gateways that share a Redis', async () => {
    const redis = await startTestRedis();
    const options = {
      environment: { ...tokenEnvironment(), CACHE_REDIS_URL: redis.url },
      settings:
        'rateLimits: { perUser: { operations: 2, windowS: 60 }, perClient: { operations: 5, windowS: 60 } }',
    };
    const [first, second] = [await start(options), await start(options)];
    const headersOf = async (sub: string): Promise<Readonly<Record<string, string>>> => ({
      authorization: `Bearer ${await issuer.sign({ sub })}`,
    });
    const [ada, ed, vi] = [await headersOf('ada'), await headersOf('ed'), await headersOf('vi')];
    expect(await statuses(2, () => first.post(PUBLIC, ada))).toEqual([200, 200]);
    expect((await second.post(PUBLIC, ada)).status).toBe(429);
    expect(await statuses(2, () => second.post(PUBLIC, ed))).toEqual([200, 200]);
    expect(await statuses(2, () => first.post(PUBLIC, vi))).toEqual([200, 429]);
    await redis.stop();
  });

  it('F-07 go on in each process while Redis is unavailable', async () => {
    const redis = await startTestRedis();
    const gateway = await start({
      environment: { CACHE_REDIS_URL: redis.url },
      settings: 'rateLimits: { perAddress: { operations: 2, windowS: 60 } }',
    });
    await redis.stop();
    expect(await statuses(4, () => gateway.post(PUBLIC))).toEqual([200, 200, 429, 429]);
  });

  it('believe X-Forwarded-For of trusted proxies alone', async () => {
    const settings = 'rateLimits: { perAddress: { operations: 1, windowS: 60 } }';
    const from = (address: string): Readonly<Record<string, string>> => ({ 'x-forwarded-for': address });
    const direct = await start({ settings });
    expect((await direct.post(PUBLIC, from('10.0.0.1'))).status).toBe(200);
    expect((await direct.post(PUBLIC, from('10.0.0.2'))).status).toBe(429);
    const behind = await start({ settings: `${settings}\nhttp: { trustProxy: [127.0.0.1] }` });
    expect((await behind.post(PUBLIC, from('10.0.0.1'))).status).toBe(200);
    expect((await behind.post(PUBLIC, from('10.0.0.2'))).status).toBe(200);
    expect((await behind.post(PUBLIC, from('10.0.0.1'))).status).toBe(429);
    expect((await behind.post(PUBLIC, from('2001:db8:1:2::1'))).status).toBe(200);
    expect((await behind.post(PUBLIC, from('2001:db8:1:2:3::9'))).status).toBe(429);
  });
});

describe('gateway.yaml', () => {
  it('is taken over when it changes, as a whole or not at all', async () => {
    const gateway = await start({ settings: 'limits: { aliases: 1 }' });
    const file = join(gateway.directory, 'gateway.yaml');
    const twoAliases = async (): Promise<number> =>
      (await gateway.post({ query: '{ a: public b: public }' })).status;
    expect(await twoAliases()).toBe(400);
    writeFileSync(file, 'limits: { aliases: 2, nonsense: 1 }');
    await expect
      .poll(() => JSON.stringify(gateway.logged()), { timeout: 8_000 })
      .toContain('keeping the current one');
    expect(await twoAliases()).toBe(400);
    writeFileSync(file, 'limits: { aliases: 2 }');
    await expect.poll(twoAliases, { timeout: 8_000 }).toBe(200);
  });
});
