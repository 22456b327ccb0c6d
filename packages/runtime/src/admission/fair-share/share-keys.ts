import { clientNetworkOf } from '../client-network/client-network.ts';

/** Who asks, as far as it is known. */
export interface SharedBy {
  /** Of which issuer as well, where there are several. */
  readonly user?: string | undefined;
  /** A client that acts for itself. */
  readonly client?: string | undefined;
  /** Of the client's end of the connection, or given by a trusted proxy. */
  readonly address: string;
}

/**
 * What a caller's share is counted under, narrowest first: the caller, then the networks around. A share is to hold at each
 * of them: who owns a /48 has 65,536 networks of the narrowest kind.
 */
export type ShareKeys = readonly [string, ...string[]];

/** A user is the same everywhere, and so is a client; of all others only the network is known. */
export function shareKeysOf({ user, client, address }: SharedBy): ShareKeys {
  if (user !== undefined) return [`user:${user}`];
  if (client !== undefined) return [`client:${client}`];
  const [own = '', ...wider] = clientNetworkOf(address).prefixes;
  return [`network:${own}`, ...wider.map((prefix) => `network:${prefix}`)];
}
