import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { ClientMetadata } from './client-metadata.ts';
import { createRemoteKeySets, type RemoteKeySetsDependencies } from './remote-key-sets.ts';

/** Looks up the public keys by which clients sign. */
export interface ClientKeys {
  /** @returns the keys of a client's `jwks`, or at its `jwks_uri`; undefined for a client without keys */
  of(metadata: ClientMetadata): JWTVerifyGetKey | undefined;
  /** Aborts what is being fetched. */
  close(): void;
}

/** Key sets of registrations and of addresses. */
export function createClientKeys(dependencies: RemoteKeySetsDependencies): ClientKeys {
  const remote = createRemoteKeySets(dependencies);
  const registered = new WeakMap<object, JWTVerifyGetKey>();
  return {
    of: ({ jwks, jwks_uri: uri }) => {
      if (uri !== undefined) return remote.at(uri);
      if (!jwks) return undefined;
      const known = registered.get(jwks) ?? createLocalJWKSet(jwks as JSONWebKeySet); // as checked at registration
      registered.set(jwks, known);
      return known;
    },
    close: () => remote.close(),
  };
}
