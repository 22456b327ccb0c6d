import { BlockList, isIP, isIPv6 } from 'node:net';
import type { X509Certificate } from 'node:crypto';
import { parseDistinguishedName, readSubject, sameName } from './distinguished-name.ts';

/** The members of a registration of which just one says whom the certificate of a client names. RFC 8705 §2.1.2 */
export interface CertificateSubject {
  /** As RFC 4514 writes names. */
  readonly tls_client_auth_subject_dn?: string | undefined;
  readonly tls_client_auth_san_dns?: string | undefined;
  readonly tls_client_auth_san_uri?: string | undefined;
  readonly tls_client_auth_san_ip?: string | undefined;
  readonly tls_client_auth_san_email?: string | undefined;
}

type SubjectMember = keyof CertificateSubject;

/** Whether a certificate has the name. */
const matchers: Readonly<Record<SubjectMember, (certificate: X509Certificate, name: string) => boolean>> = {
  tls_client_auth_subject_dn: ({ subject }, name) => {
    const expected = parseDistinguishedName(name);
    return expected !== undefined && sameName(expected, readSubject(subject));
  },
  tls_client_auth_san_dns: (certificate, name) =>
    alternativeNames(certificate, 'DNS').some((dns) => dns.toLowerCase() === name.toLowerCase()),
  tls_client_auth_san_uri: (certificate, name) => alternativeNames(certificate, 'URI').includes(name),
  tls_client_auth_san_ip: (certificate, name) =>
    alternativeNames(certificate, 'IP Address').some((address) => sameAddress(address, name)),
  tls_client_auth_san_email: (certificate, name) => alternativeNames(certificate, 'email').includes(name),
};

/** The names of the members. */
export const subjectMembers: readonly SubjectMember[] = Object.freeze(
  Object.keys(matchers) as SubjectMember[],
); // its own keys

/** Those members that a registration has. */
export function namedSubjects(metadata: CertificateSubject): readonly SubjectMember[] {
  return subjectMembers.filter((member) => metadata[member] !== undefined);
}

/** Whether a certificate names the client. A registration that says nothing is named by none. */
export function isNamedIn(certificate: X509Certificate, metadata: CertificateSubject): boolean {
  const [member] = namedSubjects(metadata);
  return member !== undefined && matchers[member](certificate, metadata[member] ?? '');
}

/** Why no certificate can have a name; undefined where one can. */
export function subjectProblem(member: SubjectMember, name: string): string | undefined {
  if (member === 'tls_client_auth_subject_dn')
    return parseDistinguishedName(name) ? undefined : 'is no distinguished name (RFC 4514)';
  if (member === 'tls_client_auth_san_ip') return isIP(name) === 0 ? 'is no IP address' : undefined;
  if (member === 'tls_client_auth_san_dns')
    return /^[A-Za-z0-9._-]+$/.test(name) ? undefined : 'is no DNS name, which has no wildcards here';
  if (member === 'tls_client_auth_san_uri') return URL.canParse(name) ? undefined : 'is no absolute URI';
  return /^[^\s@]+@[^\s@]+$/.test(name) ? undefined : 'is no e-mail address';
}

const ALTERNATIVE_NAME = /(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^",]*)(?=, |$)/y;

/** Names of a kind; Node.js writes those that could be taken for several as JSON, in quotes. */
function alternativeNames({ subjectAltName: text = '' }: X509Certificate, kind: string): readonly string[] {
  const names: string[] = [];
  for (ALTERNATIVE_NAME.lastIndex = 0; ALTERNATIVE_NAME.lastIndex < text.length;) {
    const [, found, name] = ALTERNATIVE_NAME.exec(text) ?? [];
    if (found === undefined || name === undefined) return []; // of another form: none is taken for sure
    if (found === kind) names.push(name.startsWith('"') ? String(JSON.parse(name)) : name);
  }
  return names;
}

/** IPv6 can be written in many ways. */
function sameAddress(left: string, right: string): boolean {
  if (isIP(left) === 0 || isIP(left) !== isIP(right)) return false;
  const list = new BlockList();
  const family = isIPv6(left) ? 'ipv6' : 'ipv4';
  list.addAddress(left, family);
  return list.check(right, family);
}
