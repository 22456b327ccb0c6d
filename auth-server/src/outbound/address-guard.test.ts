import { describe, expect, it } from 'vitest';
import { createAddressGuard, isNetwork } from './address-guard.ts';

const INNER =
  `127.0.0.1 127.9.9.9 ::1 0.0.0.0 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 224.0.0.1
  255.255.255.255 fc00::1 fe80::1 ff02::1 :: 64:ff9b::a00:1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe ::ffff:7f00:1`.split(
    /\s+/,
  );

describe('A-164: addresses that clients may have requests sent to', () => {
  const strict = createAddressGuard({ loopback: false, networks: [] });

  it.each(INNER)('are not %s', (address) => {
    expect(strict.allows(address)).toBe(false);
  });

  it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('may be %s', (address) => {
    expect(strict.allows(address)).toBe(true);
  });

  it('are no names', () => {
    expect(strict.allows('localhost')).toBe(false);
  });

  it('may be of this machine outside production, and of networks that are named', () => {
    const lenient = createAddressGuard({ loopback: true, networks: ['10.1.0.0/16', 'fd00::/8'] });
    for (const address of ['127.0.0.1', '::1', '10.1.2.3', 'fd12::1'])
      expect(lenient.allows(address)).toBe(true);
    for (const address of ['10.2.0.1', '169.254.169.254']) expect(lenient.allows(address)).toBe(false);
    expect(isNetwork('10.0.0.0/8')).toBe(true);
    for (const text of ['10.0.0.0', '10.0.0.0/33', 'x/8', '']) expect(isNetwork(text)).toBe(false);
  });
});
