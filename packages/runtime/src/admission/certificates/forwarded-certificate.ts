import { hash } from 'node:crypto';
import { readEnvoyHeader } from './envoy-header.ts';

/** How a proxy writes the certificate of a client into a header: PEM with URL escapes, RFC 9440, base64 of the DER, Envoy's header. */
export type ForwardedFormat = 'pem' | 'rfc9440' | 'base64' | 'xfcc';

/** As much as Node takes of all headers together. */
const MAX_CHARACTERS = 16_384;

/**
 * Reads the certificate that a header carries. Whether its sender is trusted is for the caller to judge.
 *
 * @returns its DER; undefined for what does not have the form, and for more than one certificate
 */
export function forwardedCertificate(value: unknown, format: ForwardedFormat): Buffer | undefined {
  return isReadable(value) ? CERTIFICATES[format](value) : undefined;
}

/**
 * Reads which certificate a header is about, for those who need no more of it: Envoy mostly sends the hash alone.
 *
 * @returns the SHA-256 of its DER, as `x5t#S256` has it; undefined as in {@link forwardedCertificate}
 */
export function forwardedThumbprint(value: unknown, format: ForwardedFormat): string | undefined {
  if (format === 'xfcc') return isReadable(value) ? thumbprintInElement(value) : undefined;
  const der = forwardedCertificate(value, format);
  return der && certificateThumbprint(der);
}

/** The SHA-256 of a certificate's DER, as `x5t#S256` has it. RFC 8705 §3.1 */
export function certificateThumbprint(der: Buffer): string {
  return hash('sha256', der, 'base64url');
}

function isReadable(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CHARACTERS;
}

const CERTIFICATES: Readonly<Record<ForwardedFormat, (value: string) => Buffer | undefined>> = {
  /** RFC 9440 §2.1, RFC 8941 §3.3.5. */
  rfc9440: (value) => ofBase64(/^:([^:]*):$/.exec(value)?.[1]),
  base64: ofBase64,
  pem: ofPem,
  xfcc: certificateInElement,
};

function ofBase64(text = ''): Buffer | undefined {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

const PEM = /^-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;

/** One certificate; a chain says nothing of which of them is the client's. RFC 7468 §5. */
function ofPem(value: string): Buffer | undefined {
  const text = PEM.exec(decoded(value))?.[1];
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}

/** The certificate itself, where the proxy sends it; a hash beside it has to be its own. */
function certificateInElement(value: string): Buffer | undefined {
  const { hash: thumbprint, cert } = readEnvoyHeader(value) ?? {};
  const der = cert === undefined ? undefined : ofPem(cert);
  const isOther = thumbprint !== undefined && der && certificateThumbprint(der) !== thumbprint;
  return isOther ? undefined : der;
}

function thumbprintInElement(value: string): string | undefined {
  const element = readEnvoyHeader(value);
  if (element?.cert === undefined) return element?.hash;
  const der = certificateInElement(value);
  return der && certificateThumbprint(der);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
