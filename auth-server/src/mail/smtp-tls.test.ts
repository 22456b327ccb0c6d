import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  createAuthority,
  createTemporaryDirectory,
  type TemporaryDirectory,
  type TestAuthority,
} from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSmtpServer, type SmtpTls, type TestSmtpServer } from '../testing/smtp-server.ts';
import { createSmtpTransport } from './smtp-transport.ts';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../testing/deliver-mail.ts', import.meta.url));
/** This machine by a name that is not known to be it. */
const ELSEWHERE = '[::ffff:127.0.0.1]';

let directory: TemporaryDirectory;
let authority: TestAuthority;
let server: TestSmtpServer | undefined;
beforeAll(() => {
  directory = createTemporaryDirectory();
  authority = createAuthority(directory.path);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => directory.remove());

/** @param names as in `IP:127.0.0.1` */
async function start(from: SmtpTls['from'], names = 'IP:127.0.0.1'): Promise<TestSmtpServer> {
  const certificate = authority.issue(from.replace(' ', '-'), { name: names });
  return (server = await startSmtpServer(0, { from, certificate }));
}

/** Hands one message over in a process that trusts the authority. @throws Error with what it printed */
async function deliverTrusting(url: string): Promise<void> {
  const command = ['--conditions=trellis-source', '--import', 'tsx', PROGRAM, url];
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: authority.certificateFile };
  await promisify(execFile)(process.execPath, command, { cwd: PACKAGE, env });
}

/** Hands one message over in this process, which trusts no authority but those that Node knows. */
async function deliver(url: string): Promise<void> {
  const from = 'Trellis <no-reply@auth.example>';
  const transport = createSmtpTransport({ url, from, issuer: 'https://auth.example' });
  try {
    await transport.deliver('1', { to: 'user@example.com', subject: 'Hello', text: 'Good day.' });
  } finally {
    await transport.close();
  }
}

function elsewhere(url: string): string {
  return url.replace('127.0.0.1', ELSEWHERE);
}

describe('RFC 8314: mail over smtps:', () => {
  it('is handed over to a server whose certificate is trusted', async () => {
    const { url, received, authenticated } = await start('first byte');
    await deliverTrusting(url);
    expect(received.map(({ to }) => to)).toEqual([['user@example.com']]);
    expect(authenticated).toEqual([true]);
  });

  it('is handed over to localhost, whose certificate has that name', async () => {
    const { url, received } = await start('first byte', 'DNS:localhost');
    await deliverTrusting(url.replace('127.0.0.1', 'localhost'));
    expect(received).toHaveLength(1);
  });

  it('is said to no server with a certificate that is not trusted, and the reason is given', async () => {
    const { url, received, authenticated } = await start('first byte');
    await expect(deliver(url)).rejects.toThrow(/answered nothing to CONN \(.*certificate.*\)/);
    expect([...received, ...authenticated]).toEqual([]);
  });

  it('is said to no server with the certificate of another name', async () => {
    const { url, received, authenticated } = await start('first byte', 'DNS:mail.example');
    await expect(deliverTrusting(url)).rejects.toThrow(
      /answered nothing to CONN \(Hostname\/IP does not match/,
    );
    expect([...received, ...authenticated]).toEqual([]);
  });
});

describe('RFC 3207: mail over smtp:', () => {
  it('changes to TLS before user and password are sent', async () => {
    const { url, received, authenticated } = await start('STARTTLS', 'IP:::ffff:127.0.0.1');
    await deliverTrusting(elsewhere(url));
    expect(received.map(({ to }) => to)).toEqual([['user@example.com']]);
    expect(authenticated).toEqual([true]);
  });

  it('ends at a certificate that is not trusted, before user and password are sent', async () => {
    const { url, received, authenticated } = await start('STARTTLS', 'IP:::ffff:127.0.0.1');
    await expect(deliver(elsewhere(url))).rejects.toThrow(/answered nothing to \w+ \(.*certificate.*\)/);
    expect([...received, ...authenticated]).toEqual([]);
  });

  it('ends at a server that offers no TLS, before user and password are sent', async () => {
    server = await startSmtpServer();
    await expect(deliver(elsewhere(server.url))).rejects.toThrow(/answered \d+ to STARTTLS/);
    expect([...server.received, ...server.authenticated]).toEqual([]);
  });

  it('is handed over to a server on this machine whatever its certificate', async () => {
    const { url, received, authenticated } = await start('STARTTLS', 'DNS:mail.example');
    await deliver(url);
    expect(received).toHaveLength(1);
    expect(authenticated).toEqual([true]);
  });
});
