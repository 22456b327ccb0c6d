import type { IncomingMessage } from 'node:http';
import { forwardedThumbprint } from '@trellis/runtime/admission';
import type { CertificateSettings } from '../../settings/authentication.ts';

/** Says which certificate a client has used: the SHA-256 of its DER, as `x5t#S256` has it. RFC 8705 §3.1. */
export type CertificateReader = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string | undefined;

/**
 * Reads what a trusted proxy says; of any other peer the header is as if it were absent. A header that comes twice, or that
 * does not have the form, says nothing.
 *
 * @param settings those in force now; absent where no header is configured, so that none is read
 * @param isProxy whether a peer is a trusted proxy
 */
export function createCertificateReader(
  settings: () => CertificateSettings | undefined,
  isProxy: (address: string) => boolean,
): CertificateReader {
  return ({ headers, socket }) => {
    const { header, format = 'pem' } = settings() ?? {};
    const value = header === undefined ? undefined : headers[header.toLowerCase()];
    if (value === undefined || !isProxy(socket.remoteAddress ?? '')) return undefined;
    return forwardedThumbprint(value, format);
  };
}
