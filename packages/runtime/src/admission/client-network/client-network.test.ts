import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { createRandom, type Random } from '@trellis/demo-data';
import { describe, expect, it } from 'vitest';
import { clientNetworkOf } from './client-network.ts';
import { shareKeysOf } from '../fair-share/share-keys.ts';

const ROUNDS = 600;

describe('The network of a client', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['198.51.100.7:40001', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['198.051.100.007', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['198.051.100.007:80', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['::ffff:198.051.100.007%eth0', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['::ffff:198.51.100.7', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['::FFFF:c633:6407', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['[::ffff:198.51.100.7]:443', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['64:ff9b::198.51.100.7', '198.51.100.7', ['198.51.100.7/32', '198.51.100.0/24']],
    ['2001:DB8:0:0::1', '2001:db8::1', ['2001:db8::/64', '2001:db8::/56', '2001:db8::/48']],
    ['[2001:db8::1]:443', '2001:db8::1', ['2001:db8::/64', '2001:db8::/56', '2001:db8::/48']],
    ['[2001:db8::1]', '2001:db8::1', ['2001:db8::/64', '2001:db8::/56', '2001:db8::/48']],
    ['fe80::1%eth0', 'fe80::1', ['fe80::/64', 'fe80::/56', 'fe80::/48']],
    [
      '2001:db8:aaaa:bbcc:1:2:3:4',
      '2001:db8:aaaa:bbcc:1:2:3:4',
      ['2001:db8:aaaa:bbcc::/64', '2001:db8:aaaa:bb00::/56', '2001:db8:aaaa::/48'],
    ],
  ])('of %s is %s', (text, address, prefixes) => {
    expect(clientNetworkOf(text)).toEqual({ address, prefixes });
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    '1.2.3',
    '1.2.3.4.5',
    '0x1.2.3.4',
    '1.2.3.0256',
    '1.2.3.256',
    '1.2.3.4:port',
    '1.2.3.4%eth0',
    ':::',
    '2001:db8::1::2',
    '[2001:db8::1',
    '[]:443',
    '%eth0',
    '12345::',
    'a'.repeat(10_000),
    '1.2.3.4, 5.6.7.8',
  ])('of what is no address is one and the same (%#)', (text) => {
    expect(clientNetworkOf(text)).toEqual({ address: 'unknown', prefixes: ['unknown'] });
  });

  it('has the canonical text that Node gives it, and lies within each of its prefixes, the narrowest first', () => {
    const random = createRandom(1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = random.chance(0.3) ? randomIPv4(random) : randomIPv6(random);
      const { address, prefixes } = clientNetworkOf(text);
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      expect(new SocketAddress({ address, family }).address, text).toBe(address);
      if (family === 'ipv6') expect(new SocketAddress({ address: text, family }).address).toBe(address);
      for (const prefix of prefixes) expect(contains(prefix, address), `${prefix} ${text}`).toBe(true);
      expect(prefixes.map((prefix) => Number(prefix.split('/')[1]))).toEqual(
        family === 'ipv4' ? [32, 24] : [64, 56, 48],
      );
    }
  });

  it('is the same however the address is written', () => {
    const random = createRandom(2);
    for (let round = 0; round < ROUNDS; round += 1) {
      const plain = random.chance(0.3) ? randomIPv4(random) : randomIPv6(random);
      expect(clientNetworkOf(decorated(plain, random)), plain).toEqual(clientNetworkOf(plain));
    }
  });

  it('is another one outside of the prefix', () => {
    const random = createRandom(3);
    for (let round = 0; round < ROUNDS; round += 1) {
      const one = clientNetworkOf(randomIPv6(random));
      const other = clientNetworkOf(randomIPv6(random));
      one.prefixes.forEach((prefix, level) =>
        expect(other.prefixes[level] === prefix).toBe(contains(prefix, other.address)),
      );
    }
  });
});

describe('The keys of a share', () => {
  it('are the user, else the client, else the networks', () => {
    const address = '2001:db8::1';
    expect(shareKeysOf({ user: 'ada', client: 'shop', address })).toEqual(['user:ada']);
    expect(shareKeysOf({ client: 'shop', address })).toEqual(['client:shop']);
    expect(shareKeysOf({ address })).toEqual([
      'network:2001:db8::/64',
      'network:2001:db8::/56',
      'network:2001:db8::/48',
    ]);
  });

  it('can not be chosen: a user is never a network', () => {
    expect(shareKeysOf({ user: 'network:unknown', address: '' })).not.toEqual(shareKeysOf({ address: '' }));
  });
});

function randomIPv4(random: Random): string {
  return Array.from({ length: 4 }, () => random.below(256)).join('.');
}

/** With runs of zeros, so that there is something to shorten, and few networks, so that some are equal. */
function randomIPv6(random: Random): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    index < 4
      ? random.pick(index === 0 ? ['1', 'ab'] : ['0', '1', 'ab', 'AB00'])
      : random.pick(['0', '0', random.below(65_536).toString(16)]),
  );
  const text = groups.join(':');
  const shortened = text.replace(/(^|:)0(:0)+(:|$)/, '::');
  return random.chance(0.5) && isIPv6(shortened) ? shortened : text;
}

/** As some proxies write it: three digits of each number. */
function padded(plain: string): string {
  return plain
    .split('.')
    .map((number) => number.padStart(3, '0'))
    .join('.');
}

function decorated(plain: string, random: Random): string {
  if (isIPv4(plain))
    return random.pick([
      padded(plain),
      `::ffff:${padded(plain)}`,
      `${padded(plain)}:443`,
      `${plain}:443`,
      `::ffff:${plain}`,
      `[::FFFF:${plain}]:1`,
      ` ${plain}`,
    ]);
  return random.pick([
    `[${plain}]`,
    `[${plain}]:65535`,
    plain.toUpperCase(),
    `${plain}%en0`,
    `[${plain}%1]:80`,
  ]);
}

function contains(prefix: string, address: string): boolean {
  const [network = '', length = ''] = prefix.split('/');
  const family = isIPv4(network) ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(length), family);
  return list.check(address, family);
}
