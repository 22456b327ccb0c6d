import { createLocalJWKSet, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose';
import { isCertificateOf } from './registered-certificates.ts';
import type { ClientMetadata } from './client-metadata.ts';
import { createRemoteKeySets, type RemoteKeySetsDependencies } from './remote-key-sets.ts';

/** Looks up the public keys by which clients sign. */
export interface ClientKeys {
  /** @returns the keys of a client's `jwks`, or at its `jwks_uri`; undefined for a client without keys */
  of(metadata: ClientMetadata): JWTVerifyGetKey | undefined;
  /** Whether a certificate is among those that a client has registered: the first of `x5c` of a key. RFC 8705 §2.2.2 */
  haveCertificate(metadata: ClientMetadata, der: Buffer): Promise<boolean>;
  /** Aborts what is being fetched. */
  close(): void;
}

/** Key sets of registrations and of addresses. */
export function createClientKeys(dependencies: RemoteKeySetsDependencies): ClientKeys {
  const remote = createRemoteKeySets(dependencies);
  const registered = new WeakMap<object, JWTVerifyGetKey>();
  return {
    of: ({ jwks, jwks_uri: uri }) => {
      if (uri !== undefined) return remote.at(uri).find;
      if (!jwks) return undefined;
      const known = registered.get(jwks) ?? createLocalJWKSet(jwks as JSONWebKeySet); // as checked at registration
      registered.set(jwks, known);
      return known;
    },
    haveCertificate: async ({ jwks, jwks_uri: uri }, der) => {
      const matches = (key: JWK): boolean => isCertificateOf(key, der);
      return uri === undefined ? jwks?.keys.some(matches) === true : remote.at(uri).has(matches);
    },
    close: () => remote.close(),
  };
}
