import {
  certificateThumbprint,
  forwardedCertificate,
  type ForwardedFormat,
} from '@trellis/runtime/admission';
import proxyAddress from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';

/** The certificate that a client has shown, with a proof that it has the key. */
export interface ClientCertificate {
  readonly der: Buffer;
  /** SHA-256 of `der`, as `x5t#S256` has it. RFC 8705 §3.1 */
  readonly thumbprint: string;
}

/** Reads the certificates of clients. */
export interface ClientCertificates {
  /** @returns undefined where the client has shown none, and where no one who is trusted says which */
  of(request: Pick<FastifyRequest, 'headers' | 'socket'>): ClientCertificate | undefined;
}

/** How proxies say which certificate a client has shown. */
export interface ForwardedCertificates {
  /** Name of the header. */
  readonly header: string;
  readonly format: ForwardedFormat;
  /** Addresses and networks of those who are trusted. */
  readonly trustedProxies: readonly string[];
}

/**
 * Reads certificates from the header of a trusted proxy. Of any other peer it is as if it were absent.
 *
 * @param forwarded undefined where no header is trusted
 */
export function createClientCertificates(forwarded: ForwardedCertificates | undefined): ClientCertificates {
  if (!forwarded) return { of: () => undefined };
  const { format, trustedProxies } = forwarded;
  const name = forwarded.header.toLowerCase();
  const isProxy = proxyAddress.compile([...trustedProxies]);
  return {
    of: ({ headers, socket }) => {
      const value = headers[name];
      if (value === undefined || !isProxy(socket.remoteAddress ?? '', 0)) return undefined;
      const der = forwardedCertificate(value, format);
      return der && { der, thumbprint: certificateThumbprint(der) };
    },
  };
}
