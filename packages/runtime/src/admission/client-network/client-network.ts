import { isIPv4 } from 'node:net';
import { parseIPv6, textOfIPv6 } from './ipv6-text.ts';

/** Where a client is, written in one way only. */
export interface ClientNetwork {
  /** Canonical: dotted decimal, or RFC 5952; {@link UNKNOWN_NETWORK} for what is no address. */
  readonly address: string;
  /** In CIDR notation, narrowest first: /32 and /24 of IPv4; /64, /56 and /48 of IPv6. */
  readonly prefixes: readonly string[];
}

/** What is no address is one network, so that a caller gets no fresh share by writing nonsense. */
const UNKNOWN_NETWORK = 'unknown';
const UNKNOWN: ClientNetwork = Object.freeze({
  address: UNKNOWN_NETWORK,
  prefixes: Object.freeze([UNKNOWN_NETWORK]),
});

/** Longer texts are no addresses: 45 characters, brackets, a port, a zone of a few characters. */
const MAX_CHARACTERS = 80;
const IPV4_WITH_PORT = /^([\d.]{7,15}):\d{1,5}$/;
const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/;
const ZONE = /%[^%\s]+$/;
/** Zeros in front of a decimal number between dots: some proxies write all three digits, and mean no octal number. */
const PADDED = /(?<=^|[.:])0+(?=\d{1,3}\.)|(?<=\.)0+(?=\d)/g;

/** One customer has a /64 at least, often a /56, and a site a /48 (RFC 6177). */
const IPV6_PREFIX_GROUPS = [
  { length: 64, groups: 4, lastMask: 0xff_ff },
  { length: 56, groups: 4, lastMask: 0xff_00 },
  { length: 48, groups: 3, lastMask: 0xff_ff },
] as const;

/**
 * Normalizes a client's address: without port, brackets, zone and zeros that fill up numbers; canonical; IPv4 where IPv6 only carries it (mapped
 * addresses, RFC 4291 §2.5.5.2, and those of translators, RFC 6052 §2.1).
 *
 * @param address as given by a socket or a trusted proxy
 */
export function clientNetworkOf(address: string): ClientNetwork {
  if (isIPv4(address)) return networkOfIPv4(address); // what nearly all are
  const text = withoutDecoration(address);
  if (isIPv4(text)) return networkOfIPv4(text);
  const groups = parseIPv6(text);
  if (groups === undefined) return UNKNOWN;
  const carried = carriedIPv4(groups);
  return carried === undefined ? networkOfIPv6(groups) : networkOfIPv4(carried);
}

function withoutDecoration(address: string): string {
  if (address.length > MAX_CHARACTERS) return '';
  const trimmed = address.trim();
  const bare = BRACKETED.exec(trimmed)?.[1] ?? IPV4_WITH_PORT.exec(trimmed)?.[1] ?? trimmed;
  const plain = bare.includes(':') ? bare.replace(ZONE, '') : bare;
  return plain.includes('.') ? plain.replace(PADDED, '') : plain;
}

function networkOfIPv4(address: string): ClientNetwork {
  const network = address.slice(0, address.lastIndexOf('.'));
  return { address, prefixes: [`${address}/32`, `${network}.0/24`] };
}

function networkOfIPv6(groups: readonly number[]): ClientNetwork {
  const prefixes = IPV6_PREFIX_GROUPS.map(({ length, groups: count, lastMask }) => {
    const masked = groups.map((group, index) =>
      index >= count ? 0 : index === count - 1 ? group & lastMask : group,
    );
    return `${textOfIPv6(masked)}/${length}`;
  });
  return { address: textOfIPv6(groups), prefixes };
}

function carriedIPv4(groups: readonly number[]): string | undefined {
  const head = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  if (head !== '0:0:0:0:0:ffff' && head !== '64:ff9b:0:0:0:0') return undefined;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}
