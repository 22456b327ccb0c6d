import type { IncomingMessage } from 'node:http';
import { forwardedThumbprint } from '@trellis/admission';
import type { CertificateSettings } from '../../settings/authentication.ts';

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
  const format = settings.format ?? 'pem';
  return ({ headers, socket }) => {
    const value = headers[name];
    if (value === undefined || !isProxy(socket.remoteAddress ?? '')) return undefined;
    return forwardedThumbprint(value, format);
  };
}
