import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import { clientNetworkOf } from '@trellis/admission';
import type { HttpSettings } from '../../settings/http.ts';

/** The proxies that are believed, as the framework takes them. */
export function proxiesOf({ trustProxy }: Pick<HttpSettings, 'trustProxy'>): boolean | string[] {
  return typeof trustProxy === 'boolean' ? trustProxy : [...trustProxy];
}

/** An address as it is counted and reported: without port, zone and needless zeros, IPv4 where IPv6 only carries it. */
export function normalAddress(address: string): string {
  return isIPv4(address) ? address : clientNetworkOf(address).address;
}

/** Reads a client's address from a request that the framework does not see, by the framework's own rules. */
export function createAddressReader(
  trustProxy: boolean | readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  if (trustProxy === false) return ({ socket }) => normalAddress(socket.remoteAddress ?? '');
  const isTrusted =
    typeof trustProxy === 'boolean' ? () => trustProxy : proxyAddress.compile([...trustProxy]);
  return (request) => normalAddress(proxyAddress(request as IncomingMessage, isTrusted)); // it reads no more of it
}

/** Returns whether the peer of a connection is a trusted proxy. */
export function createProxyCheck(trustProxy: boolean | readonly string[]): (address: string) => boolean {
  if (typeof trustProxy === 'boolean') return () => trustProxy;
  const isTrusted = proxyAddress.compile([...trustProxy]);
  return (address) => isIP(address) !== 0 && isTrusted(address, 0);
}
