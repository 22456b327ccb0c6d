import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClientCertificates } from './client-certificates.ts';

const DER = Buffer.from('a certificate, as DER '.repeat(8));
const VALUE = `:${DER.toString('base64')}:`;

const certificates = createClientCertificates({
  header: 'Client-Cert',
  format: 'rfc9440',
  trustedProxies: ['10.0.0.0/8', '2001:db8::7'],
});
const read = (remoteAddress: string | undefined, value: string | string[] | undefined = VALUE) =>
  certificates.of({ headers: { 'client-cert': value }, socket: { remoteAddress } as never }); // it reads no more of it

describe('A-234: the certificate in a header', () => {
  it.each(['10.0.0.7', '::ffff:10.0.0.7', '2001:db8::7'])(
    'is that of the client, as the proxy at %s says',
    (address) => {
      expect(read(address)).toEqual({ der: DER, thumbprint: hash('sha256', DER, 'base64url') });
    },
  );

  it.each(['192.0.2.1', '11.0.0.1', '127.0.0.1', '::1', '2001:db8::8', '::ffff:11.0.0.1'])(
    'is as if it were absent where %s, which is no trusted proxy, has sent it',
    (address) => {
      expect(read(address)).toBeUndefined();
    },
  );

  it('is not trusted where no header is configured', () => {
    const none = createClientCertificates(undefined);
    const socket = { remoteAddress: '10.0.0.7' } as never; // it reads no more of it
    expect(none.of({ headers: { 'client-cert': VALUE }, socket })).toBeUndefined();
  });

  it.each([[undefined], [''], [[VALUE]], [`${VALUE}, ${VALUE}`], [VALUE.slice(1)], ['::']])(
    'is none where it is %j',
    (value) => {
      expect(
        certificates.of({
          headers: { 'client-cert': value },
          socket: { remoteAddress: '10.0.0.7' } as never,
        }),
      ).toBeUndefined();
    },
  );

  const pem = `-----BEGIN CERTIFICATE-----\n${DER.toString('base64')}\n-----END CERTIFICATE-----\n`;
  const cert = `Cert="${encodeURIComponent(pem)}"`;
  const hashed = `Hash=${hash('sha256', DER, 'hex')}`;
  function readAs(format: 'base64' | 'pem' | 'xfcc', value: string): Buffer | undefined {
    const reader = createClientCertificates({ header: 'x-cert', format, trustedProxies: ['10.0.0.7'] });
    return reader.of({ headers: { 'x-cert': value }, socket: { remoteAddress: '10.0.0.7' } as never })?.der;
  }

  it.each([
    ['pem', encodeURIComponent(pem)],
    ['base64', DER.toString('base64')],
    ['xfcc', `By=spiffe://a/b;${hashed};${cert};Subject="CN=a,O=\\"b;c\\""`],
    ['xfcc', cert],
  ] as const)('is read as %s: %s', (format, value) => {
    expect(readAs(format, value)).toEqual(DER);
  });

  it.each([
    ['the hash alone, which names no one', hashed],
    ['a hash of another certificate', `Hash=${'0'.repeat(64)};${cert}`],
    ['two elements', `${cert},${cert}`],
    ['a certificate within a subject', `Subject="${cert.replaceAll('"', '')}"`],
  ])('is none where Envoy says %s', (_what, value) => {
    expect(readAs('xfcc', value)).toBeUndefined();
  });
});
