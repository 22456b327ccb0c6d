import { X509Certificate } from 'node:crypto';
import { equalsConstantTime } from '../secrets/secrets.ts';

interface HasCertificate {
  readonly x5c?: unknown;
}

/** The certificate of a key, in base64 of its DER. RFC 7517 §4.7 */
function certificateOf({ x5c }: HasCertificate): string | undefined {
  const [first] = Array.isArray(x5c) ? (x5c as readonly unknown[]) : [];
  return typeof first === 'string' ? first : undefined;
}

/** Whether a certificate is that of a key. */
export function isCertificateOf(key: HasCertificate, der: Buffer): boolean {
  return equalsConstantTime(certificateOf(key) ?? '', der.toString('base64'));
}

/** Whether a key has a certificate that can be read. */
export function hasCertificate(key: HasCertificate): boolean {
  const text = certificateOf(key);
  if (text === undefined) return false;
  const der = Buffer.from(text, 'base64');
  if (der.toString('base64') !== text) return false; // compared as it is written
  try {
    return new X509Certificate(der).raw.equals(der);
  } catch {
    return false;
  }
}

/** The certificates of keys, as they are written. */
export function certificatesOf(keys: readonly HasCertificate[] = []): readonly string[] {
  return keys.map(certificateOf).filter((text) => text !== undefined);
}
