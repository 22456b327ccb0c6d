import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CertificateSubject, createAuthority, createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import type { CertificateSubject as NamedSubject } from '../certificate-subject.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { Client } from '../client-store.ts';
import { readCertificateAuthorities } from './certificate-authorities.ts';
import { certificateProblem } from './verify-certificate.ts';

const DAY_MS = 86_400_000;

const directory = createTemporaryDirectory();
afterAll(() => directory.remove());
const authority = createAuthority(directory.path);
const impostor = createAuthority(directory.path, 'impostor');
const authorities = readCertificateAuthorities(authority.certificateFile);

let issued = 0;
function issue(subject: CertificateSubject, by = authority): Buffer {
  issued += 1;
  return new X509Certificate(by.issue(`client-${issued}`, subject).certificate).raw;
}

/** What is wrong with a certificate for a client that is named so. */
function judge(der: Buffer | undefined, metadata: NamedSubject, aheadMs = 0): Promise<string | undefined> {
  return certificateProblem(
    der,
    { metadata: { token_endpoint_auth_method: 'tls_client_auth', ...metadata } } as Client,
    {
      certificateAuthorities: authorities,
      clientKeys: {} as ClientKeys, // which these clients have no use for
      clock: () => Date.now() + aheadMs,
    },
  );
}

const OTHER = 'the certificate is of another subject';

describe('A-232: a certificate with a distinguished name', () => {
  const der = issue({ subject: '/C=DE/O=Example, Inc./OU=A\\+B/organizationIdentifier=PSDDE-1/CN=bank' });
  it.each([
    'CN=bank,2.5.4.97=PSDDE-1,OU=A\\+B,O=Example\\, Inc.,C=DE',
    'CN=bank, organizationIdentifier=PSDDE-1, OU=A\\+B, O=Example\\, Inc., C=DE',
    'cn=bank,2.5.4.97=#0c0750534444452d31,ou=A\\2BB,o=Example\\2c Inc.,2.5.4.6=DE',
  ])('is the one of %s', async (tls_client_auth_subject_dn) => {
    expect(await judge(der, { tls_client_auth_subject_dn })).toBeUndefined();
  });

  it.each([
    'CN=bank',
    'C=DE,O=Example\\, Inc.,OU=A\\+B,2.5.4.97=PSDDE-1,CN=bank',
    'CN=Bank,2.5.4.97=PSDDE-1,OU=A\\+B,O=Example\\, Inc.,C=DE',
    'CN=bank,2.5.4.97=PSDDE-1,OU=A+B=,O=Example\\, Inc.,C=DE',
    'CN=bank,2.5.4.97=PSDDE-1,OU=A,O=Example\\, Inc.,C=DE',
    'CN=bank,2.5.4.97=PSDDE-1,OU=A\\+B,O=Example\\, Inc.,C=DE,C=DE',
  ])('is not the one of %s', async (tls_client_auth_subject_dn) => {
    expect(await judge(der, { tls_client_auth_subject_dn })).toBe(OTHER);
  });

  it('can not say by one value what another says by two names', async () => {
    const sly = issue({ subject: '/CN=evil\\nCN=bank/O=x' });
    for (const name of ['O=x,CN=bank', 'O=x,CN=evil,CN=bank', 'O=x,CN=bank,CN=evil'])
      expect(await judge(sly, { tls_client_auth_subject_dn: name }), name).toBe(OTHER);
    const comma = issue({ subject: '/CN=bank,O=Example' });
    expect(await judge(comma, { tls_client_auth_subject_dn: 'CN=bank,O=Example' })).toBe(OTHER);
    expect(await judge(comma, { tls_client_auth_subject_dn: 'CN=bank\\,O=Example' })).toBeUndefined();
  });

  it('may have letters of any language, and several attributes in one part', async () => {
    const letters = issue({ subject: '/O=Größe 銀行/CN=bank+UID=7' });
    for (const name of ['CN=bank+UID=7,O=Größe 銀行', 'UID=7+CN=bank,O=Gr\\C3\\B6\\C3\\9Fe 銀行'])
      expect(await judge(letters, { tls_client_auth_subject_dn: name }), name).toBeUndefined();
  });
});

describe('A-232: a certificate with other names', () => {
  const der = issue({
    name: 'DNS:a.example,DNS:b.example,URI:https://a.example/x,IP:192.0.2.1,IP:2001:db8::1,email:a@a.example',
  });
  it.each<NamedSubject>([
    { tls_client_auth_san_dns: 'b.example' },
    { tls_client_auth_san_dns: 'B.Example' },
    { tls_client_auth_san_uri: 'https://a.example/x' },
    { tls_client_auth_san_ip: '192.0.2.1' },
    { tls_client_auth_san_ip: '2001:DB8:0:0::1' },
    { tls_client_auth_san_email: 'a@a.example' },
  ])('is the one of %j', async (name) => {
    expect(await judge(der, name)).toBeUndefined();
  });

  it.each<NamedSubject>([
    { tls_client_auth_san_dns: 'example' },
    { tls_client_auth_san_dns: 'c.example' },
    { tls_client_auth_san_dns: '192.0.2.1' },
    { tls_client_auth_san_uri: 'https://a.example/X' },
    { tls_client_auth_san_ip: '192.0.2.2' },
    { tls_client_auth_san_ip: 'a.example' },
    { tls_client_auth_san_email: 'A@a.example' },
    {},
  ])('is not the one of %j', async (name) => {
    expect(await judge(der, name)).toBe(OTHER);
  });

  it('can not say by one name what another says by two', async () => {
    const sly = issue({
      name: '@names',
      extensions: '[names]\nURI.1=https://x.example/\\, DNS:bank.example',
    });
    expect(await judge(sly, { tls_client_auth_san_dns: 'bank.example' })).toBe(OTHER);
  });
});

describe('A-232: a certificate of the right name', () => {
  const name = { tls_client_auth_subject_dn: 'CN=bank' };
  const subject = '/CN=bank';
  const NOT_ISSUED = 'no authority of CLIENT_CERTIFICATE_CA_FILE has issued the certificate for a client';
  it.each<[string, () => Buffer | undefined, number, string]>([
    ['of no one', () => undefined, 0, 'no certificate was shown'],
    ['that is garbage', () => Buffer.from('x'), 0, 'the certificate is none'],
    ['of another authority', () => issue({ subject }, impostor), 0, NOT_ISSUED],
    ['that has expired', () => issue({ subject }), 3 * DAY_MS, 'the certificate is not within its time'],
    ['of tomorrow', () => issue({ subject }), -DAY_MS, 'the certificate is not within its time'],
    ['of an authority that has expired', () => issue({ subject, days: 9 }), 3 * DAY_MS, NOT_ISSUED],
    ['for servers', () => issue({ subject, extensions: 'extendedKeyUsage=serverAuth' }), 0, NOT_ISSUED],
  ])('%s is rejected', async (_what, make, aheadMs, problem) => {
    expect(await judge(make(), name, aheadMs)).toBe(problem);
  });

  it('is taken where it is for clients', async () => {
    expect(await judge(issue({ subject, extensions: 'extendedKeyUsage=clientAuth' }), name)).toBeUndefined();
    expect(await judge(issue({ subject }), name)).toBeUndefined();
  });

  it('is rejected of an authority that only has the name of one', async () => {
    const other = createTemporaryDirectory();
    const namesake = createAuthority(other.path);
    expect(await judge(issue({ subject }, namesake), name)).toBe(NOT_ISSUED);
    other.remove();
  });
});

describe('The file of authorities', () => {
  it.each<[string, () => string, string]>([
    ['that is empty', () => '', 'It has no certificate in PEM.'],
    ['with a key', () => authority.key, 'It has no certificate in PEM.'],
    [
      'with a certificate of a client',
      () => authority.certificate + authority.issue('someone').certificate,
      'It has certificates that are of no authority: CN=someone.',
    ],
  ])('%s is rejected', (_what, text, problem) => {
    const path = join(directory.path, 'authorities.pem');
    writeFileSync(path, text());
    expect(() => readCertificateAuthorities(path)).toThrow(problem);
  });
});
