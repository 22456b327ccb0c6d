import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of a PEM text, in their order.
 *
 * @throws Error where one of them can't be read
 */
export function readCertificates(pem: string): readonly X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));
}

/** Says what is wrong with a text that has to hold certificates. The text is not repeated. */
export function problemOfCertificates(pem: string): string | undefined {
  try {
    return readCertificates(pem).length > 0 ? undefined : 'must be a certificate in PEM';
  } catch {
    return 'has a certificate that cannot be read';
  }
}

/** Says what is wrong with a text that has to be a private key. The text is not repeated. */
export function problemOfPrivateKey(pem: string): string | undefined {
  if (pem.includes('ENCRYPTED')) return 'must be a private key without a passphrase';
  return readPrivateKey(pem) ? undefined : 'must be a private key in PEM';
}

/** The private key of a PEM text; undefined where there is none. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined; // what it throws may quote the text
  }
}
