import { isClientId, registeredScopes, type ClientDeclaration } from './client-metadata.ts';
import { isMacOf, macOf, randomToken, sha256, type Keys } from '../secrets/secrets.ts';
import type { Client, ClientSource, ClientStore, HashedSecret } from './client-store.ts';

/** As long as a hash of a secret, and equal to none: who is unknown is compared too, in the same time. */
export const NO_HASH: string = '-'.repeat(43);

/** Clients as the endpoints look them up. */
export interface ClientRegistry {
  /** One that was found in the last seconds, as it was then: for whom waiting costs more than `find` itself. */
  findRemembered(clientId: string): Client | undefined;
  find(clientId: string): Promise<Client | undefined>;
  /**
   * A client that was found as it is in the store at this moment, for what is issued and can't be taken back by the next
   * look; undefined where that registration is gone.
   */
  findToday(known: Client): Promise<Client | undefined>;
  /** Has this instance look a client up again, which has changed. */
  forget(clientId: string): void;
  /** How a client's secret is stored. */
  hashSecret(clientId: string, secret: string): HashedSecret;
  /** Compares a secret with a stored hash, under the key of every configured secret, in constant time. */
  isSecret(clientId: string, secret: string, hash: string): boolean;
  /** Stores the secret that a client has just proven under the newest key, where that is not so yet. */
  renewHash(client: Client, secret: string): Promise<void>;
  /** Whether an older key is still needed for the secret of the client. */
  isOutdated(client: Client): boolean;
  /** A declaration as a record to store. */
  toClient(declaration: ClientDeclaration, source: ClientSource): Client;
}

/** What a registry works with. */
export interface ClientRegistryDependencies {
  readonly store: ClientStore;
  /** Peppers of the secrets' hashes. */
  readonly secretKeys: Keys;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Milliseconds for which a client is remembered: a change by command reaches every instance within this time. */
const CACHE_MS = 5_000;
const CACHE_SIZE = 1_000;
/** Enough to distinguish the registrations of one id. */
const INCARNATION_BYTES = 6;

/** A registry over a store, which remembers the clients found for a few seconds. Unknown ids are never remembered. */
export function createClientRegistry({
  store,
  secretKeys,
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
  const loadAgain = async ({ metadata, incarnation }: Client): Promise<Client | undefined> => {
    const today = await load(metadata.client_id);
    return today?.incarnation === incarnation ? today : undefined;
  };
  const keyId = sha256(secretKeys[0].toString('base64url')).slice(0, 12);
  const hashSecret = (clientId: string, secret: string): HashedSecret => ({
    hash: macOf(secretKeys[0], clientId, secret),
    keyId,
  });
  const isOutdated = ({ secretHash, secretKeyId }: Client): boolean =>
    secretHash !== undefined && secretKeyId !== keyId;
  const findRemembered: ClientRegistry['findRemembered'] = (clientId) => {
    const entry = known.get(clientId);
    return entry && entry.until > clock() ? entry.client : undefined;
  };
  return {
    findRemembered,
    find: async (clientId) => {
      if (!isClientId(clientId)) return undefined;
      return findRemembered(clientId) ?? load(clientId);
    },
    findToday: (client) =>
      store
        .findVersion(client.metadata.client_id)
        .then((version) =>
          version !== undefined && version === client.version ? client : loadAgain(client),
        ),
    forget: (clientId) => void known.delete(clientId),
    hashSecret,
    isSecret: (clientId, secret, hash) => isMacOf(secretKeys, hash, clientId, secret),
    renewHash: async (client, secret) => {
      const clientId = client.metadata.client_id;
      const hashed = hashSecret(clientId, secret);
      if (!isOutdated(client) || !isMacOf(secretKeys, client.secretHash ?? '', clientId, secret)) return;
      await store.rehashSecret(clientId, client.secretHash ?? '', hashed);
      known.delete(clientId);
    },
    isOutdated,
    toClient: ({ metadata, secret }, source) => {
      const hashed = secret === undefined ? undefined : hashSecret(metadata.client_id, secret);
      const incarnation = randomToken(INCARNATION_BYTES);
      const scopes = registeredScopes(metadata);
      return { metadata, scopes, incarnation, secretHash: hashed?.hash, secretKeyId: hashed?.keyId, source };
    },
  };
}
