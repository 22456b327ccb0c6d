import { isClientId, type ClientDeclaration } from './client-metadata.ts';
import { macOf } from './secrets.ts';
import type { Client, ClientSource, ClientStore } from './stores/client-store.ts';

/** Clients as the endpoints look them up. */
export interface ClientRegistry {
  find(clientId: string): Promise<Client | undefined>;
  /** Has this instance look a client up again, which has changed. */
  forget(clientId: string): void;
  /** Hash under which a client's secret is stored and compared. */
  hashSecret(clientId: string, secret: string): string;
  /** A declaration as a record to store. */
  toClient(declaration: ClientDeclaration, source: ClientSource): Client;
}

/** What a registry works with. */
export interface ClientRegistryDependencies {
  readonly store: ClientStore;
  /** Pepper of the secrets' hashes. */
  readonly secretKey: Buffer;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Milliseconds for which a client is remembered: a change by command reaches every instance within this time. */
const CACHE_MS = 5_000;
const CACHE_SIZE = 1_000;

/** A registry over a store, which remembers the clients found for a few seconds. Unknown ids are never remembered. */
export function createClientRegistry({
  store,
  secretKey,
  clock,
}: ClientRegistryDependencies): ClientRegistry {
  const known = new Map<string, { readonly client: Client; readonly until: number }>();

  const load = async (clientId: string): Promise<Client | undefined> => {
    const client = await store.find(clientId);
    known.delete(clientId);
    if (!client) return undefined;
    if (known.size >= CACHE_SIZE) known.delete(known.keys().next().value ?? '');
    known.set(clientId, { client, until: clock() + CACHE_MS });
    return client;
  };
  const hashSecret = (clientId: string, secret: string): string => macOf(secretKey, clientId, secret);
  return {
    find: async (clientId) => {
      if (!isClientId(clientId)) return undefined;
      const entry = known.get(clientId);
      return entry && entry.until > clock() ? entry.client : load(clientId);
    },
    forget: (clientId) => void known.delete(clientId),
    hashSecret,
    toClient: ({ metadata, secret }, source) => ({
      metadata,
      secretHash: secret === undefined ? undefined : hashSecret(metadata.client_id, secret),
      source,
    }),
  };
}
