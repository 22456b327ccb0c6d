import { BlockList, isIP, isIPv6 } from 'node:net';

/** Decides to which addresses this server may send requests on behalf of someone. */
export interface AddressGuard {
  /** @param address a literal IPv4 or IPv6 address */
  allows(address: string): boolean;
}

/** Settings of {@link createAddressGuard}. */
export interface AddressGuardOptions {
  /** Whether this machine's own addresses may be reached: never in production. */
  readonly loopback: boolean;
  /** Networks in CIDR notation that may be reached although they are private. */
  readonly networks: readonly string[];
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
/** Everything that is not the public internet. RFC 6890 */
const SPECIAL =
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ::/128 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23
  2001:db8::/32 2002::/16 fc00::/7 fe80::/10 ff00::/8`.split(/\s+/);

/**
 * Networks where an operator's own services may be. Not among them are link-local addresses: what answers at those, such as the
 * metadata of a cloud's machine, publishes no keys.
 */
export const PRIVATE_NETWORKS: readonly string[] = Object.freeze([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
]);

/** A guard against requests to inner networks. IPv4 addresses written as IPv6 count as what they stand for. */
export function createAddressGuard({ loopback, networks }: AddressGuardOptions): AddressGuard {
  const allowed = listOf([...networks, ...(loopback ? LOOPBACK : [])]);
  const rejected = listOf([...SPECIAL, ...LOOPBACK]);
  return {
    allows: (address) => {
      const plain = withoutMapping(address);
      if (isIP(plain) === 0) return false;
      const family = isIPv6(plain) ? 'ipv6' : 'ipv4';
      return allowed.check(plain, family) || !rejected.check(plain, family);
    },
  };
}

/** Whether a text is a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  try {
    listOf([text]);
    return true;
  } catch {
    return false;
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/', 2);
    if (!/^\d{1,3}$/.test(bits)) throw new TypeError(`${network} is no network.`);
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}

function withoutMapping(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bytes = [high, low].flatMap((part) => [
    Number.parseInt(part, 16) >> 8,
    Number.parseInt(part, 16) & 255,
  ]);
  return bytes.join('.');
}
