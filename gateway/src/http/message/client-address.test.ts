import { describe, expect, it } from 'vitest';
import { createAddressReader } from './client-address.ts';

describe('G9: the address of a client', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['[2001:DB8::1]:4711', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
  ])('is the same however it is written: %s', (given, address) => {
    const read = createAddressReader(['127.0.0.1']);
    const socket = { remoteAddress: '127.0.0.1' };
    const request = { headers: { 'x-forwarded-for': given }, socket } as unknown as Parameters<
      typeof read
    >[0];
    expect(read(request)).toBe(address);
    const direct = { headers: {}, socket: { remoteAddress: given } } as unknown as Parameters<typeof read>[0];
    expect(createAddressReader(false)(direct)).toBe(address);
  });
});
