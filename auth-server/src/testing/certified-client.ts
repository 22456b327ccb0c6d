import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Name of a certificate in the folder `certificates`. */
type CertificateName = 'first' | 'second';

function read(name: CertificateName): X509Certificate {
  return new X509Certificate(readFileSync(new URL(`certificates/${name}.cert.pem`, import.meta.url)));
}

/** Members of the registration of a client that has registered a certificate, which its tokens are bound to. RFC 8705 §2.2.2, §3.4 */
export function certified(name: CertificateName): Readonly<Record<string, unknown>> {
  const { publicKey, raw } = read(name);
  return {
    client_secret: undefined,
    token_endpoint_auth_method: 'self_signed_tls_client_auth',
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), x5c: [raw.toString('base64')] }] },
    tls_client_certificate_bound_access_tokens: true,
  };
}

/** The header by which a proxy shows it. RFC 9440 §2.1 */
export function showCertificate(name: CertificateName): Record<string, string> {
  return { 'client-cert': `:${read(name).raw.toString('base64')}:` };
}
