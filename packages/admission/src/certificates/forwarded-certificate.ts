import { hash } from 'node:crypto';

/** How a proxy writes the certificate of a client into a header: RFC 9440, or PEM with URL escapes. */
export type ForwardedFormat = 'rfc9440' | 'pem';

/** As much as Node takes of all headers together. */
const MAX_CHARACTERS = 16_384;

/**
 * Reads the certificate that a header carries. Whether its sender is believed is for the caller to judge.
 *
 * @returns its DER; undefined for what does not have the form, and for more than one certificate
 */
export function forwardedCertificate(value: unknown, format: ForwardedFormat): Buffer | undefined {
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS) return undefined;
  const text = FORMATS[format](value);
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}

/** The SHA-256 of a certificate's DER, as `x5t#S256` has it. RFC 8705 §3.1 */
export function certificateThumbprint(der: Buffer): string {
  return hash('sha256', der, 'base64url');
}

const FORMATS: Readonly<Record<ForwardedFormat, (value: string) => string | undefined>> = {
  rfc9440: ofByteSequence,
  pem: ofPem,
};

/** RFC 9440 §2.1, RFC 8941 §3.3.5. */
function ofByteSequence(value: string): string | undefined {
  return /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value)?.[1];
}

const PEM = /^-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;

/** One certificate; a chain says nothing of which of them is the client's. RFC 7468 §5. */
function ofPem(value: string): string | undefined {
  return PEM.exec(decoded(value))?.[1];
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
