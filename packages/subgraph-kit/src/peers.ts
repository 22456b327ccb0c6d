import {
  createServiceClient,
  createServiceTokenSigner,
  createServiceTokenVerifier,
  type ServiceClient,
  type ServiceTokenVerifier,
} from '@trellis/subgraph-protocol';
import type { SubgraphConfig } from './subgraph-variables.ts';

/** The other services, as this one may call and be called by them. */
export interface Peers {
  /** Verifies who calls; without SERVICE_JWKS no one may. */
  readonly verifier: ServiceTokenVerifier;
  /** Undefined where this service has no key to sign its calls with. */
  readonly client: ((service: string, url: string) => ServiceClient) | undefined;
}

/** Reads the keys of the configuration. */
export async function createPeers(service: string, config: SubgraphConfig): Promise<Peers> {
  const verifier = createServiceTokenVerifier(service, config.SERVICE_JWKS ?? { keys: [] });
  if (config.SERVICE_PRIVATE_KEY === undefined) return { verifier, client: undefined };
  const signer = await createServiceTokenSigner(config.SERVICE_PRIVATE_KEY);
  return { verifier, client: (peer, url) => createServiceClient({ service: peer, url, signer }) };
}
