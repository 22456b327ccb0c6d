import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import { clientNetworkOf } from '@trellis/runtime/admission';
import type { HttpSettings } from '../../settings/http.ts';

/** Whose X-Forwarded-For is trusted, as it is in force now. */
export type TrustProxy = () => HttpSettings['trustProxy'];

/** Returns whether the setting in force trusts an address, as the framework asks. It is compiled again when it has changed. */
export function createProxyTrust(trustProxy: TrustProxy): (address: string, hop: number) => boolean {
  let known = trustProxy();
  let isTrusted = compileTrust(known);
  return (address, hop) => {
    const now = trustProxy();
    if (now !== known) isTrusted = compileTrust((known = now));
    return isTrusted(address, hop);
  };
}

function compileTrust(trustProxy: HttpSettings['trustProxy']): (address: string, hop: number) => boolean {
  return typeof trustProxy === 'boolean' ? () => trustProxy : proxyAddress.compile([...trustProxy]);
}

/** An address as it is counted and reported: without port, zone and needless zeros, IPv4 where IPv6 only carries it. */
export function normalAddress(address: string): string {
  return isIPv4(address) ? address : clientNetworkOf(address).address;
}

/** Reads a client's address from a request that the framework does not see, by the framework's own rules. */
export function createAddressReader(
  trustProxy: TrustProxy,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const isTrusted = createProxyTrust(trustProxy);
  return (request) =>
    trustProxy() === false
      ? normalAddress(request.socket.remoteAddress ?? '')
      : normalAddress(proxyAddress(request as IncomingMessage, isTrusted)); // it reads no more of it
}

/** Returns whether the peer of a connection is a trusted proxy. */
export function createProxyCheck(trustProxy: TrustProxy): (address: string) => boolean {
  const isTrusted = createProxyTrust(trustProxy);
  return (address) => (trustProxy() === true || isIP(address) !== 0) && isTrusted(address, 0);
}
