import { PROOF_ALGORITHMS } from '@trellis/runtime/dpop';

/** The graph as an OAuth resource, for clients. */
export interface ProtectedResource {
  /** Where its metadata are, as challenges name it. */
  readonly metadataUrl: string;
  /** RFC 9728 §2. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What the metadata are made from. */
export interface ProtectedResourceSource {
  /** Address by which clients know the graph; absent: the first audience, where it can be one. */
  readonly resource: string | undefined;
  readonly issuers: readonly {
    readonly issuer: string;
    readonly rules: { readonly audiences: readonly string[] };
  }[];
  readonly scopes: readonly string[] | undefined;
  /** Whether tokens that are bound to a client certificate are taken. */
  readonly takesCertificates: boolean;
}

/** Where metadata of a resource are: RFC 9728 §3.1. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** @returns nothing where no token is taken, or no address is known */
export function protectedResourceOf(source: ProtectedResourceSource): ProtectedResource | undefined {
  const { issuers, scopes, takesCertificates } = source;
  const [first] = issuers;
  const resource = source.resource ?? first?.rules.audiences.find(isAddressOfGraph);
  if (!first || resource === undefined) return undefined;
  const { origin, pathname } = new URL(resource);
  return {
    metadataUrl: `${origin}${RESOURCE_METADATA_PATH}${pathname === '/' ? '' : pathname}`,
    metadata: Object.freeze({
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      ...(scopes && { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
      tls_client_certificate_bound_access_tokens: takesCertificates,
    }),
  };
}

/** Other audiences may be identifiers alone: where nothing answers, a client would be sent astray. */
function isAddressOfGraph(audience: string): boolean {
  return /^https?:/.test(audience) && URL.canParse(audience) && new URL(audience).pathname === '/graphql';
}
