import { createLogger, createMetrics } from '@trellis/runtime';
import { createPool, queryChecked, type Pool } from '@trellis/postgres';
import {
  createAuthority,
  createTemporaryDirectory,
  createTestDatabase,
  freePort,
  type TestDatabase,
} from '@trellis/testkit';
import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthServerMetrics } from '../audit/auth-server-metrics.ts';
import { createSealer } from '../secrets/sealing.ts';
import { migrateAuthServer, SCHEMA } from '../app/start.ts';
import { createMailStore, type MailStore } from './mail-store.ts';
import { startSmtpServer, textOf, type TestSmtpServer } from '../testing/smtp-server.ts';
import { createMailQueue, type MailQueue } from './mail-queue.ts';
import type { MailTransport } from './mail.ts';
import { createSmtpTransport } from './smtp-transport.ts';
import { createWebhookTransport } from './webhook-transport.ts';

const from = 'Trellis <no-reply@auth.example>';
const issuer = 'https://auth.example';
const log: string[] = [];
const logger = createLogger({
  service: 'auth-server',
  destination: { write: (line: string) => void log.push(line) },
});
const message = (to: string): { to: string; subject: string; text: string } => ({
  to,
  subject: 'Ihr Passwort für später',
  text: `Open https://auth.example/link?token=${'a'.repeat(43)}\n.\nGrüße`,
});

let database: TestDatabase;
let pool: Pool;
let store: MailStore;
let now: number;
let queues: MailQueue[];

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateAuthServer(database.connectionString);
  pool = createPool({ connectionString: database.connectionString, schema: SCHEMA });
  store = createMailStore(pool, createSealer([randomBytes(32)]));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(() => {
  now = Date.now();
  queues = [];
});
afterEach(async () => {
  await Promise.all(queues.map((queue) => queue.stop()));
  await pool.query('DELETE FROM mail_message');
});

function startQueue(transport: MailTransport): MailQueue {
  const metrics = createAuthServerMetrics(createMetrics('auth-server'));
  const queue = createMailQueue({
    store,
    transport,
    metrics,
    logger,
    clock: () => now,
    ttlS: 3_600,
    pollMs: 20,
  });
  queues.push(queue);
  queue.start();
  return queue;
}

function smtp({ url }: Pick<TestSmtpServer, 'url'>): MailTransport {
  return createSmtpTransport({ url, from, issuer });
}

async function waiting(): Promise<number> {
  const rows = await queryChecked(pool, { count: 'int8' }, 'SELECT count(*) FROM mail_message');
  return Number(rows[0]?.count);
}

describe('mail over SMTP', () => {
  let server: TestSmtpServer;
  beforeAll(async () => {
    server = await startSmtpServer();
  });
  afterAll(() => server.close());

  it('arrives as it was written, from whom it is said to be, and once', async () => {
    const [first] = [startQueue(smtp(server)), startQueue(smtp(server))];
    for (let index = 0; index < 20; index += 1) await first?.send(message(`user-${index}@example.com`));
    await expect.poll(waiting).toBe(0);
    const recipients = server.received.flatMap(({ to }) => to);
    expect([recipients.length, new Set(recipients).size]).toEqual([20, 20]);
    const [mail] = server.received;
    expect(mail?.from).toBe('no-reply@auth.example');
    expect(mail?.source).toMatch(/^Message-ID: <[0-9a-f-]{36}@auth\.example>\r$/m);
    expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(mail && textOf(mail)).toContain(`https://auth.example/link?token=${'a'.repeat(43)}`);
    expect(mail && textOf(mail)).toContain('Grüße');
  });

  it('that the receiver rejects for good is not tried again', async () => {
    const before = server.received.length;
    const queue = startQueue(smtp(server));
    await queue.send(message('rejected@example.com'));
    await expect.poll(waiting).toBe(0);
    expect(server.received).toHaveLength(before);
  });

  it('can not be made to carry further headers or recipients by an address', async () => {
    const queue = startQueue(smtp(server));
    const before = server.received.length;
    await queue.send(message('x@example.com\r\nBcc: other@example.com'));
    await queue.send(message('a@example.com, b@example.com'));
    await expect.poll(waiting).toBe(0);
    for (const { source, to } of server.received.slice(before)) {
      expect(source).not.toMatch(/^Bcc:/m);
      expect(to).toHaveLength(1);
    }
  });

  it('is said to no server that offers no TLS, but on this machine', async () => {
    const url = `smtp://trellis:s3cret%20word@[::ffff:127.0.0.1]:${server.port}`;
    const { deliver, close } = createSmtpTransport({ url, from, issuer });
    await expect(deliver('1', message('p@example.com'))).rejects.toThrow(/mail server answered/);
    await close();
  });
});

describe('mail while the mail server is unavailable', () => {
  it('waits in the database, sealed, and is handed over when the server is back', async () => {
    const port = await freePort();
    const queue = startQueue(smtp({ url: `smtp://trellis:s3cret%20word@127.0.0.1:${port}` }));
    await queue.send(message('patient@example.com'));
    const attempts = async (): Promise<unknown> =>
      (await queryChecked(pool, { attempts: 'int4' }, 'SELECT attempts FROM mail_message'))[0]?.attempts;
    await expect.poll(attempts).toBe(1);
    const { rows } = await pool.query('SELECT * FROM mail_message');
    expect(JSON.stringify(rows)).not.toMatch(/patient|token=/);
    const server = await startSmtpServer(port);
    expect(server.received).toHaveLength(0);
    await expect.poll(async () => ((now += 5_000), waiting())).toBe(0);
    expect(server.received.map(({ to }) => to)).toEqual([['patient@example.com']]);
    await server.close();
  });

  it('is given up when it is of no use any more', async () => {
    const port = await freePort();
    const queue = startQueue(smtp({ url: `smtp://127.0.0.1:${port}` }));
    await queue.send(message('late@example.com'));
    now += 3_601_000;
    await expect.poll(waiting).toBe(0);
  });

  it('is accepted up to a bound', async () => {
    await pool.query(`INSERT INTO mail_message (id, sealed, next_attempt_at, expires_at)
      SELECT gen_random_uuid(), '', now() + interval '1 hour', now() + interval '1 day' FROM generate_series(1, 10000)`);
    const queue = startQueue(smtp({ url: 'smtp://127.0.0.1:9' }));
    await expect(queue.send(message('p@example.com'))).rejects.toThrow('Too many messages');
    await expect(queue.send(message('p@example.com'), 'account')).rejects.toThrow('Too many messages');
  });

  it('reserves a fifth of its places for readers with an account, however many links to sign up wait', async () => {
    await pool.query(`INSERT INTO mail_message (id, sealed, next_attempt_at, expires_at)
      SELECT gen_random_uuid(), '', now() + interval '1 hour', now() + interval '1 day' FROM generate_series(1, 7999)`);
    const queue = startQueue(smtp({ url: 'smtp://127.0.0.1:9' }));
    await queue.send(message('new@example.com'));
    await expect(queue.send(message('newer@example.com'))).rejects.toThrow('Too many messages');
    await expect(queue.send(message('ada@example.com'), 'account')).resolves.toBeUndefined();
  });
});

describe('mail while the certificate of the mail server is not trusted', () => {
  it('waits, and the log says why', async () => {
    const directory = createTemporaryDirectory();
    const certificate = createAuthority(directory.path).issue('mail');
    const server = await startSmtpServer(0, { from: 'first byte', certificate });
    log.length = 0;
    await startQueue(smtp(server)).send(message('patient@example.com'));
    await expect.poll(() => log.find((line) => line.includes('mail delivery failed'))).toMatch(/certificate/);
    expect(await waiting()).toBe(1);
    expect([...server.received, ...server.authenticated]).toEqual([]);
    await server.close();
    directory.remove();
  });
});

describe('mail by a webhook', () => {
  it('is signed as Standard Webhooks says, and repeated under the same id until it is taken', async () => {
    const secret = randomBytes(24).toString('base64url');
    const ids: unknown[] = [];
    const bodies: unknown[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const {
          'webhook-id': id,
          'webhook-timestamp': time,
          'webhook-signature': signature,
        } = request.headers;
        const expected = createHmac('sha256', secret)
          .update(`${String(id)}.${String(time)}.${body}`)
          .digest('base64');
        if (signature === `v1,${expected}`) bodies.push(JSON.parse(body));
        ids.push(id);
        response.writeHead(ids.length === 1 ? 503 : 204).end();
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mail`; // it listens on TCP
    const queue = startQueue(createWebhookTransport({ url, secret, from, clock: () => now }));
    await queue.send(message('hook@example.com'));
    await expect.poll(() => ids.length).toBe(1);
    await expect.poll(async () => ((now += 5_000), waiting())).toBe(0);
    expect(ids[1]).toBe(ids[0]);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatchObject({ type: 'mail.message', data: { from, to: 'hook@example.com' } });
    server.close();
    server.closeAllConnections();
  });
});
