import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { createHttpServer } from './http-server.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startOperationsServer } from './operations-server.ts';
import { Counter } from 'prom-client';

const logger = createLogger({ service: 'test', level: 'silent' });
let server: FastifyInstance;
afterEach(() => server?.close());

describe('health', () => {
  it('is live while the process runs', async () => {
    server = createHttpServer({ logger });
    const response = await server.inject('/health/live');
    expect([response.statusCode, response.json()]).toEqual([200, { status: 'live' }]);
  });

  it('is ready when every check passes', async () => {
    server = createHttpServer({ logger, readiness: { database: () => Promise.resolve() } });
    expect((await server.inject('/health/ready')).statusCode).toBe(200);
  });

  it('names the checks that fail, and responds with 503', async () => {
    server = createHttpServer({
      logger,
      readiness: { database: () => Promise.reject(new Error('gone')), redis: () => Promise.resolve() },
    });
    const response = await server.inject('/health/ready');
    expect([response.statusCode, response.json()]).toEqual([
      503,
      { status: 'unavailable', failed: ['database'] },
    ]);
  });

  it('does not wait for ever for a check that stays silent', async () => {
    server = createHttpServer({ logger, readiness: { silent: () => new Promise(() => {}) } });
    expect((await server.inject('/health/ready')).json()).toEqual({
      status: 'unavailable',
      failed: ['silent'],
    });
  });
});

describe('closing', () => {
  it('does not wait for the rest of a request that does not come', async () => {
    server = createHttpServer({ logger });
    server.post('/', () => 'whole');
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nh');
    await once(server.server, 'request');
    const cutOff = once(client, 'close');
    const start = performance.now();
    await server.close();
    await cutOff;
    expect(performance.now() - start).toBeLessThan(25_000); // the time-out of requests is 30 s
  });

  it('F-13 waits for what is in flight, and not for the connection that carried it', async () => {
    let result: (value: string) => void = () => undefined;
    const slow = new Promise<string>((resolve) => {
      result = resolve;
    });
    let isInFlight = false;
    server = createHttpServer({ logger });
    server.get('/slow', () => {
      isInFlight = true;
      return slow;
    });
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const sent = fetch(`${url}/slow`);
    await expect.poll(() => isInFlight).toBe(true);
    const start = performance.now();
    const closing = server.close();
    result('done');
    expect(await (await sent).text()).toBe('done');
    await closing;
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it.each(['', 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n'])(
    'does not wait for a connection on which no request has arrived whole: %j',
    async (said) => {
      server = createHttpServer({ logger });
      const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(said);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const start = performance.now();
      await server.close();
      expect(performance.now() - start).toBeLessThan(20_000);
      socket.destroy();
    },
  );
});

describe('an address that is not well-formed', () => {
  it('A-008 is answered without naming the framework', async () => {
    server = createHttpServer({ logger });
    const response = await server.inject('/%');
    expect([response.statusCode, response.json()]).toEqual([
      400,
      { error: 'Bad Request', message: 'The address is not well-formed.' },
    ]);
  });
});

describe('a request that two servers may understand differently', () => {
  /** Sends it as it is, and reads to the end of the connection. */
  async function send(...headers: readonly string[]): Promise<string> {
    server = createHttpServer({ logger });
    server.post('/', () => 'reached');
    const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.write(
      ['POST / HTTP/1.1', 'connection: close', ...headers, '', '2\r\n{}\r\n0\r\n\r\n'].join('\r\n'),
    );
    await once(socket, 'close');
    return text;
  }
  const good = ['host: a', 'content-type: application/json', 'transfer-encoding: chunked'];

  it('S-059 gets a notice that its connection ends where it cannot be read', async () => {
    expect(await send('no header')).toMatch(
      /^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n[^]*not well-formed/,
    );
    await server.close();
    const long = `x: ${'x'.repeat(20_000)}`;
    expect(await send(...good, long)).toMatch(/^HTTP\/1\.1 431 [^]*\r\nConnection: close\r\n[^]*too large/);
  });

  it('S-059 is rejected with 431 where it has more headers than are read', async () => {
    const many = Array.from({ length: 250 }, (_, index) => `x${index}: a`);
    expect(await send(...good, ...many)).toMatch(/^HTTP\/1\.1 200 /);
    await server.close();
    expect(await send(...good, ...many, ...many)).toMatch(
      /^HTTP\/1\.1 431 [^]*"A request may have 256 headers\."/,
    );
  });

  it('S-060 is rejected with 400 where a header that may occur once occurs twice', async () => {
    expect(await send(...good)).toMatch(/^HTTP\/1\.1 200 /);
    for (const twice of ['Host: b', 'Content-Type: text/plain', 'Content-Encoding: gzip']) {
      const text = await send(...good, 'content-encoding: identity', twice);
      expect(text, twice).toMatch(/^HTTP\/1\.1 400 [^]*may be there once/);
      await server.close();
    }
    const tokens = ['authorization: Bearer a', 'Authorization: Bearer b'];
    expect(await send(...good, ...tokens)).toMatch(/^HTTP\/1\.1 400 [^]*"The header authorization may/);
  });

  it('S-060 is rejected with 400 where its body has a transfer coding that is not undone here', async () => {
    const text = await send(...good.slice(0, 2), 'transfer-encoding: gzip, chunked');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).not.toContain('reached');
  });
});

describe('metrics', () => {
  it('serves each family once, with the series of every deployable in the process', async () => {
    const [posts, users] = [createMetrics('posts'), createMetrics('users')];
    for (const registry of [posts, users]) {
      new Counter({ name: 'requests_total', help: 'Requests.', registers: [registry] }).inc();
    }
    const operations = await startOperationsServer({ port: 0, metrics: [posts, users] });
    const text = await (await fetch(`${operations.url}/metrics`)).text();
    await operations.close();
    expect(text.match(/# TYPE requests_total counter/g)).toHaveLength(1);
    expect(text).toContain('requests_total{service="posts"} 1');
    expect(text).toContain('requests_total{service="users"} 1');
    expect(text).toContain('process_cpu_user_seconds_total');
  });
});

describe('the logger', () => {
  it('S-100 removes secrets at the depths where requests carry them', () => {
    const lines: string[] = [];
    const recorder = createLogger({
      service: 'test',
      destination: { write: (line) => void lines.push(line) },
    });
    recorder.info({
      password: 'p4ss',
      headers: { authorization: 'Bearer t0ken' },
      req: { body: { code: 'c0de' } },
    });
    expect(lines.join('')).not.toMatch(/p4ss|t0ken|c0de/);
    expect(lines).toHaveLength(1);
  });

  it('leaves the codes of errors readable', () => {
    const lines: string[] = [];
    const recorder = createLogger({
      service: 'test',
      destination: { write: (line) => void lines.push(line) },
    });
    recorder.error({ err: Object.assign(new Error('taken'), { code: 'EADDRINUSE' }) });
    expect(lines.join('')).toContain('"code":"EADDRINUSE"');
  });
});
