import { createTransport } from 'nodemailer';
import { isLoopbackHost } from '@trellis/runtime';
import { MailRejected, type MailTransport } from './mail.ts';

/** Where messages go, and in whose name. */
export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps:` for TLS from the first byte. */
  readonly url: string;
  /** `Trellis <no-reply@example.com>`. */
  readonly from: string;
  /** Ends the identifiers of messages. */
  readonly issuer: string;
}

const TIMEOUT_MS = 15_000;
const MAX_CONNECTIONS = 3;
/** What fails before anything of a message is said. */
const CONNECTING: ReadonlySet<unknown> = new Set(['CONN', 'STARTTLS']);

/**
 * Hands messages to a mail server. Over `smtp:` the connection has to change to TLS (STARTTLS) before anything is said,
 * but for a server on this machine: that one may speak without TLS, or with any certificate.
 *
 * @see RFC 5321, RFC 3207, RFC 8314, RFC 3834
 */
export function createSmtpTransport({ url, from, issuer }: SmtpOptions): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const isOnThisMachine = !secure && isLoopbackHost(hostname);
  const { hostname: domain } = new URL(issuer);
  const transport = createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    // nodemailer asks DNS for any name, and DNS may know this one as another machine.
    ...(hostname === 'localhost'
      ? { host: '127.0.0.1', servername: hostname }
      : { host: hostname.replace(/^\[|\]$/g, '') }),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isOnThisMachine,
    // A connection that may do without TLS gains nothing from a certificate that is verified.
    ...(isOnThisMachine && { tls: { rejectUnauthorized: false } }),
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    deliver: async (id, { to, subject, text }) => {
      try {
        await transport.sendMail({
          messageId: `<${id}@${domain}>`,
          from,
          to: { name: '', address: to }, // as an address alone, whatever is in it
          subject,
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw failureOf(error);
      }
    },
    close: () => {
      transport.close();
      return Promise.resolve();
    },
  };
}

/**
 * Replies of 5xx to one message are final; of a server that does not let us in, they are not. What a server says, with a code or
 * without, may quote the message, its recipient or the password, and is left out; why there is no connection is not. RFC 5321 §4.2.1
 */
function failureOf(error: unknown): Error {
  const { responseCode, response, command, message } = error as Readonly<Record<string, unknown>>; // read as unknown
  const code = typeof responseCode === 'number' ? responseCode : 0;
  const said = typeof command === 'string' ? command : 'CONN';
  const isFinal = code >= 500 && ['RCPT TO', 'DATA', 'API'].includes(said);
  const reason = CONNECTING.has(command) ? ` (${String(message)})` : '';
  const withoutCode = response === undefined ? `nothing to ${said}${reason}` : `no code to ${said}`;
  const what = `The mail server answered ${code === 0 ? withoutCode : `${code} to ${said}`}.`;
  return isFinal ? new MailRejected(what) : new Error(what);
}
