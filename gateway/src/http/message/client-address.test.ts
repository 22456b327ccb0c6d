import { describe, expect, it } from 'vitest';
import { createAddressReader, createProxyCheck } from './client-address.ts';

describe('G9: the address of a client', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['[2001:DB8::1]:4711', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
  ])('is the same however it is written: %s', (given, address) => {
    const read = createAddressReader(() => ['127.0.0.1']);
    const socket = { remoteAddress: '127.0.0.1' };
    const request = { headers: { 'x-forwarded-for': given }, socket } as unknown as Parameters<
      typeof read
    >[0];
    expect(read(request)).toBe(address);
    const direct = { headers: {}, socket: { remoteAddress: given } } as unknown as Parameters<typeof read>[0];
    expect(createAddressReader(() => false)(direct)).toBe(address);
  });
});

it('http.trustProxy holds at once: the next request is read by it', () => {
  let trusted: boolean | readonly string[] = false;
  const read = createAddressReader(() => trusted);
  const isProxy = createProxyCheck(() => trusted);
  const request = {
    headers: { 'x-forwarded-for': '198.51.100.7' },
    socket: { remoteAddress: '127.0.0.1' },
  } as unknown as Parameters<typeof read>[0];
  const settings: readonly (readonly [boolean | readonly string[], string])[] = [
    [false, '127.0.0.1'],
    [['127.0.0.0/8'], '198.51.100.7'],
    [['10.0.0.0/8'], '127.0.0.1'],
    [true, '198.51.100.7'],
    [false, '127.0.0.1'],
  ];
  for (const [setting, address] of settings) {
    trusted = setting;
    expect([setting, read(request)]).toEqual([setting, address]);
    expect([setting, isProxy('127.0.0.1')]).toEqual([setting, address === '198.51.100.7']);
  }
});
