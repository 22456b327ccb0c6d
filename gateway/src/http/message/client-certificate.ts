import type { IncomingMessage } from 'node:http';
import { certificateThumbprint, forwardedCertificate, type ForwardedFormat } from '@trellis/admission';
import type { CertificateSettings } from '../../settings/identity.ts';

/** Says which certificate a client has used: the SHA-256 of its DER, as `x5t#S256` has it. RFC 8705 §3.1. */
export type CertificateReader = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string | undefined;

/**
 * Reads what a trusted proxy says; of any other peer the header is as if it were not there. A header that comes twice, or that
 * does not have the form, says nothing.
 *
 * @param isProxy whether a peer is a trusted proxy
 * @returns absent where no header is configured
 */
export function createCertificateReader(
  settings: CertificateSettings | undefined,
  isProxy: (address: string) => boolean,
): CertificateReader | undefined {
  if (!settings) return undefined;
  const name = settings.header.toLowerCase();
  const thumbprintIn = FORMATS[settings.format ?? 'pem'];
  return ({ headers, socket }) => {
    const value = headers[name];
    if (typeof value !== 'string' || value.length > MAX_CHARACTERS) return undefined;
    return isProxy(socket.remoteAddress ?? '') ? thumbprintIn(value) : undefined;
  };
}

/** As much as Node takes of all headers together. */
const MAX_CHARACTERS = 16_384;

const thumbprintBy =
  (format: ForwardedFormat) =>
  (value: string): string | undefined => {
    const der = forwardedCertificate(value, format);
    return der && certificateThumbprint(der);
  };

const FORMATS = {
  pem: thumbprintBy('pem'),
  rfc9440: thumbprintBy('rfc9440'),
  xfcc: ofForwardedHash,
} as const;

const XFCC_PAIR = /(?:^|;)([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^;,"=]*)(?=;|$)/y;

/**
 * The hash in the one element of the header. With several, which proxy has said what is unknown.
 *
 * @see Envoy, "x-forwarded-client-cert"
 */
function ofForwardedHash(value: string): string | undefined {
  const hashes: string[] = [];
  for (XFCC_PAIR.lastIndex = 0; XFCC_PAIR.lastIndex < value.length;) {
    const [, name = '', given = ''] = XFCC_PAIR.exec(value) ?? [];
    if (name === '') return undefined;
    if (name.toLowerCase() === 'hash') hashes.push(given.replaceAll('"', ''));
  }
  const [only = ''] = hashes;
  if (hashes.length !== 1 || !/^[0-9a-f]{64}$/i.test(only)) return undefined;
  return Buffer.from(only, 'hex').toString('base64url');
}
