import { Resolver } from 'node:dns';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startSmtpServer } from '../testing/smtp-server.ts';
import { createSmtpTransport } from './smtp-transport.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** Starts a mail server that replies to lines that begin with a text by no code but by all that was said. @returns its port */
async function startGarbling(text: string): Promise<number> {
  server = createServer((socket) => {
    const said: string[] = [];
    const reply = (line: string): string => {
      said.push(line);
      if (line.startsWith(text)) return `garbage ${said.join(' ')}`;
      if (line.startsWith('EHLO')) return '250-mail.example\r\n250 AUTH PLAIN';
      if (line.startsWith('AUTH')) return '235 OK';
      if (line === 'DATA') return '354 Go on';
      return /^(?:MAIL|RCPT|\.$)/.test(line) ? '250 OK' : '';
    };
    socket.on('error', () => undefined);
    socket.write(text === '' ? 'garbage\r\n' : '220 mail.example\r\n');
    createInterface(socket).on('line', (line) => {
      const replied = reply(line);
      if (replied !== '') socket.write(`${replied}\r\n`);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server?.once('listening', resolve));
  return (server.address() as AddressInfo).port; // it listens on TCP
}

async function deliver(url: string): Promise<void> {
  const transport = createSmtpTransport({
    url,
    from: 'no-reply@auth.example',
    issuer: 'https://auth.example',
  });
  try {
    await transport.deliver('1', { to: 'user@example.com', subject: 'Hello', text: 'A secret link.' });
  } finally {
    await transport.close();
  }
}

describe('RFC 5321 §4.2: a reply of a mail server that is no code', () => {
  it.each([
    ['the greeting', '', 'CONN'],
    ['user and password', 'AUTH', 'AUTH PLAIN'],
    ['the recipient', 'RCPT', 'RCPT TO'],
    ['the message', '.', 'DATA'],
  ])('to %s is not quoted in the reason why a delivery failed', async (_what, text, command) => {
    const port = await startGarbling(text);
    const error: unknown = await deliver(`smtp://trellis:s3cret@127.0.0.1:${port}`).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).toBe(`Error: The mail server answered no code to ${command}.`);
  });
});

/** DNS as it is asked for addresses. */
interface AddressResolver {
  resolve4(host: string, done: (error: NodeJS.ErrnoException | null, addresses: string[]) => void): void;
}

describe('RFC 6761 §6.3: mail to a server on localhost', () => {
  it('stays on this machine, whatever DNS says', async () => {
    const resolver: AddressResolver = Resolver.prototype;
    const elsewhere = vi
      .spyOn(resolver, 'resolve4')
      .mockImplementation((_host, done) => done(null, ['127.0.0.2']));
    const { url, received, close } = await startSmtpServer();
    await deliver(url.replace('127.0.0.1', 'localhost')).finally(() => elsewhere.mockRestore());
    expect(received).toHaveLength(1);
    await close();
  });
});
