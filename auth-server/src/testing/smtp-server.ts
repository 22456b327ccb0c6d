import type { AddressInfo } from 'node:net';
import type { TestCertificate } from '@trellis/testkit';
import { SMTPServer } from 'smtp-server';

/** A message as the mail server got it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as they came. */
  readonly source: string;
}

/** A real mail server on this machine, for one user. */
export interface TestSmtpServer {
  readonly port: number;
  /** With user and password. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Whether each connection had changed to TLS when it sent user and password. */
  readonly authenticated: readonly boolean[];
  close(): Promise<void>;
}

/** How a server speaks TLS: from the first byte (RFC 8314), or after STARTTLS (RFC 3207), and takes no password before. */
export interface SmtpTls {
  readonly from: 'first byte' | 'STARTTLS';
  readonly certificate: TestCertificate;
}

/**
 * Starts one that rejects recipients whose address begins with `rejected`.
 *
 * @param port default: any free one
 * @param tls default: none
 */
export async function startSmtpServer(port = 0, tls?: SmtpTls): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const authenticated: boolean[] = [];
  const server = new SMTPServer({
    ...tlsOptions(tls),
    closeTimeout: 200, // clients keep their connections open
    onAuth: ({ username, password }, { secure }, done) => {
      authenticated.push(secure);
      if (username === 'trellis' && password === 's3cret word') done(null, { user: username });
      else done(new Error('Wrong password.'));
    },
    onRcptTo: ({ address }, _session, done) => {
      if (address.startsWith('rejected'))
        done(Object.assign(new Error('No such mailbox.'), { responseCode: 550 }));
      else done();
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString('utf8'),
        });
        done();
      });
    },
  });
  server.on('error', () => undefined); // clients that leave
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: own } = server.server.address() as AddressInfo; // it listens on TCP
  return {
    port: own,
    url: `${tls?.from === 'first byte' ? 'smtps' : 'smtp'}://trellis:s3cret%20word@127.0.0.1:${own}`,
    received,
    authenticated,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

function tlsOptions(tls: SmtpTls | undefined): ConstructorParameters<typeof SMTPServer>[0] {
  if (tls === undefined) return { disabledCommands: ['STARTTLS'], allowInsecureAuth: true };
  const { certificate: cert, key } = tls.certificate;
  return { secure: tls.from === 'first byte', cert, key };
}

/** The text of a message, its quoted-printable lines joined. RFC 2045 §6.7 */
export function textOf({ source }: ReceivedMail): string {
  return source
    .replaceAll('=\r\n', '')
    .replaceAll(/((?:=[0-9A-F]{2})+)/g, (bytes) =>
      Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'),
    );
}
