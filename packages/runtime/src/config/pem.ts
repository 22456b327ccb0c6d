import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of a PEM text, in their order. What is around them is passed over.
 *
 * @returns none where the text has none
 * @throws Error where one of them can't be read
 * @see RFC 7468 §5
 */
export function readCertificates(pem: string): readonly X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));
}

/** The private key of a PEM text; undefined where there is none that can be read without a passphrase. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined; // what it throws may quote the text
  }
}
