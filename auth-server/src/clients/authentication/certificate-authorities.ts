import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readCertificates } from '@trellis/runtime/pem';

/** Those who issue certificates for clients. */
export interface CertificateAuthorities {
  /** Whether one of them has issued a certificate, and for clients. @param nowMs since 1970 */
  haveIssued(certificate: X509Certificate, nowMs: number): boolean;
}

/** Extended key usages of which a certificate has one, if it has any: of clients, or any. RFC 5280 §4.2.1.12 */
const CLIENT_USAGES: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.2', '2.5.29.37.0']);

/** Reads authorities. @throws Error for a file that can't be read, or that has none */
export function readCertificateAuthorities(path: string): CertificateAuthorities {
  const authorities = readCertificates(readFileSync(path, 'utf8'));
  if (authorities.length === 0) throw new Error('It has no certificate in PEM.');
  const others = authorities.filter(({ ca }) => !ca);
  if (others.length > 0) throw new Error(`It has certificates that are of no authority: ${namesOf(others)}.`);
  return createCertificateAuthorities(authorities);
}

function namesOf(certificates: readonly X509Certificate[]): string {
  return certificates.map(({ subject }) => subject.replaceAll('\n', ', ')).join('; ');
}

/** An authority issues what it has signed itself: of a chain, the file has the one that is next to clients. */
function createCertificateAuthorities(authorities: readonly X509Certificate[]): CertificateAuthorities {
  return {
    haveIssued: (certificate, nowMs) => {
      const usages = certificate.keyUsage as readonly string[] | undefined; // of the extension, which may be absent
      if (usages && !usages.some((usage) => CLIENT_USAGES.has(usage))) return false;
      return authorities.some(
        (authority) =>
          isCurrent(authority, nowMs) &&
          certificate.checkIssued(authority) &&
          certificate.verify(authority.publicKey),
      );
    },
  };
}

/** Whether a certificate is within its time. @param nowMs since 1970 */
export function isCurrent({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);
}
