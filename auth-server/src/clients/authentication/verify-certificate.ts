import { X509Certificate } from 'node:crypto';
import { isNamedIn } from '../certificate-subject.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { Client } from '../client-store.ts';
import { isCurrent, type CertificateAuthorities } from './certificate-authorities.ts';

/** What verification needs to know. */
export interface CertificateContext {
  readonly certificateAuthorities: CertificateAuthorities | undefined;
  readonly clientKeys: ClientKeys;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Verifies that a certificate which a client has shown is its own: it names the client and an authority has issued it, or it is among
 * those that the client has registered.
 *
 * @param der whose key the client has proven to have; undefined where it has shown none
 * @returns undefined when it holds, else what is wrong, for the log
 * @see RFC 8705 §2.1, §2.2
 */
export async function certificateProblem(
  der: Buffer | undefined,
  { metadata }: Client,
  { certificateAuthorities, clientKeys, clock }: CertificateContext,
): Promise<string | undefined> {
  if (!der) return 'no certificate was shown';
  const certificate = parse(der);
  if (!certificate) return 'the certificate is none';
  if (!isCurrent(certificate, clock())) return 'the certificate is not within its time';
  if (metadata.token_endpoint_auth_method === 'self_signed_tls_client_auth')
    return (await clientKeys.haveCertificate(metadata, der))
      ? undefined
      : 'the certificate is not registered';
  if (!isNamedIn(certificate, metadata)) return 'the certificate is of another subject';
  const isIssued = certificateAuthorities?.haveIssued(certificate, clock()) === true;
  return isIssued
    ? undefined
    : 'no authority of CLIENT_CERTIFICATE_CA_FILE has issued the certificate for a client';
}

function parse(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}
