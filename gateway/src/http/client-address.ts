import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/** Reads a client's address from a request that the framework does not see, by the framework's own rules. */
export function createAddressReader(
  trustProxy: boolean | readonly string[],
): (request: IncomingMessage) => string {
  const isTrusted =
    typeof trustProxy === 'boolean' ? () => trustProxy : proxyAddress.compile([...trustProxy]);
  return (request) => proxyAddress(request, isTrusted);
}
