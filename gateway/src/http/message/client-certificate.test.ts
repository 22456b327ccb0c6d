import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CertificateSettings } from '../../settings/authentication.ts';
import { createProxyCheck } from './client-address.ts';
import { createCertificateReader } from './client-certificate.ts';

/** Only its bytes count. */
const DER = Buffer.from('a certificate, as DER '.repeat(8));
const BASE64 = DER.toString('base64');
const THUMBPRINT = hash('sha256', DER, 'base64url');
const HEX = hash('sha256', DER, 'hex');
const PEM = `-----BEGIN CERTIFICATE-----\n${BASE64.replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;

function read(
  format: CertificateSettings['format'],
  value: string | string[] | undefined,
  remoteAddress = '10.0.0.7',
): string | undefined {
  const reader = createCertificateReader(
    () => ({ header: 'X-Cert', format }),
    createProxyCheck(() => ['10.0.0.0/8']),
  );
  return reader({ headers: { 'x-cert': value }, socket: { remoteAddress } as never }); // it reads no more of it
}

describe('RFC 8705: The certificate that a proxy has seen', () => {
  it.each<[CertificateSettings['format'], string]>([
    ['pem', encodeURIComponent(PEM)],
    [undefined, encodeURIComponent(PEM)],
    ['rfc9440', `:${BASE64}:`],
    ['xfcc', `Hash=${HEX}`],
    ['xfcc', `By=spiffe://a/b;Hash=${HEX};Subject="CN=a,O=\\"b;c\\"";URI=spiffe://c/d`],
    ['xfcc', `hash="${HEX.toUpperCase()}"`],
    ['xfcc', `Cert="${encodeURIComponent(PEM)}"`],
    ['xfcc', `Hash=${HEX};Cert="${encodeURIComponent(PEM)}";DNS=a.example;DNS=b.example`],
    ['base64', BASE64],
    ['pem', PEM.replaceAll('\n', ' ')],
  ])('is read as %s', (format, value) => {
    expect(read(format, value)).toBe(THUMBPRINT);
  });

  it.each(['192.0.2.1', '11.0.0.1', '::1', '', '127.0.0.1'])(
    'is not accepted from %j, which is no trusted proxy',
    (address) => {
      expect(read('xfcc', `Hash=${HEX}`, address)).toBeUndefined();
    },
  );

  it('is not trusted where no header is configured', () => {
    const reader = createCertificateReader(
      () => undefined,
      () => true,
    );
    const socket = { remoteAddress: '10.0.0.7' } as never; // it reads no more of it
    expect(reader({ headers: { 'x-cert': BASE64 }, socket })).toBeUndefined();
  });

  it.each<[CertificateSettings['format'], string, string | string[] | undefined]>([
    ['pem', 'nothing', undefined],
    ['pem', 'an empty text', ''],
    ['pem', 'a list', [encodeURIComponent(PEM)]],
    ['pem', 'two certificates', encodeURIComponent(PEM + PEM)],
    ['pem', 'a header that came twice', `${encodeURIComponent(PEM)}, ${encodeURIComponent(PEM)}`],
    ['pem', 'a bad escape', '%E0%A4%A'],
    ['pem', 'a private key', encodeURIComponent(PEM.replaceAll('CERTIFICATE', 'PRIVATE KEY'))],
    ['pem', 'a header that is too long', 'a'.repeat(20_000)],
    ['rfc9440', 'no colons', BASE64],
    ['rfc9440', 'two of them', `:${BASE64}:, :${BASE64}:`],
    ['rfc9440', 'a parameter', `:${BASE64}:;a=1`],
    ['rfc9440', 'nothing between colons', '::'],
    ['xfcc', 'two elements', `Hash=${HEX},Hash=${HEX}`],
    ['xfcc', 'two hashes', `Hash=${HEX};Hash=${'0'.repeat(64)}`],
    ['xfcc', 'no hash', 'By=spiffe://a/b'],
    ['xfcc', 'a hash in a subject', `Subject="Hash=${HEX}"`],
    ['xfcc', 'a hash behind a quoted comma', `Subject="a",Hash=${HEX}`],
    ['xfcc', 'a short hash', 'Hash=abcdef'],
    ['xfcc', 'a hash of another certificate', `Hash=${'0'.repeat(64)};Cert="${encodeURIComponent(PEM)}"`],
    ['xfcc', 'two certificates', `Cert="${encodeURIComponent(PEM)}";Cert="${encodeURIComponent(PEM)}"`],
    ['xfcc', 'a chain in the place of a certificate', `Cert="${encodeURIComponent(PEM + PEM)}"`],
    ['xfcc', 'a certificate that is not read beside a hash', `Hash=${HEX};Cert="%E0%A4%A"`],
    ['xfcc', 'a chain alone', `Chain="${encodeURIComponent(PEM)}"`],
    ['xfcc', 'a header that came twice', [`Hash=${HEX}`, `Hash=${HEX}`]],
    ['xfcc', 'a header that is too long', `Hash=${HEX};Subject="${'a'.repeat(20_000)}"`],
    ['base64', 'two certificates', `${BASE64},${BASE64}`],
    ['base64', 'a space', `${BASE64.slice(0, 8)} ${BASE64.slice(8)}`],
    ['base64', 'nothing', ''],
    ['xfcc', 'a quote that never ends', `Subject="a;Hash=${HEX}`],
  ])('is not read as %s of %s', (format, _what, value) => {
    expect(read(format, value)).toBeUndefined();
  });
});
