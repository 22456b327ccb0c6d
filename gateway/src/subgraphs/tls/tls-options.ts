import { createSecureContext, type SecureContext } from 'node:tls';
import type { SubgraphConnectionRules } from '../../settings/subgraph-connections.ts';

/** What every TLS connection to a subgraph is made with, whatever library opens it. Empty: what Node.js does by default. */
export interface TlsOptions {
  /** Client certificate, key and authorities. */
  readonly secureContext?: SecureContext;
  readonly servername?: string;
}

/** @param tls as checked by the settings: the key is that of the certificate */
export function tlsOptions({ certificate, key, ca, serverName }: SubgraphConnectionRules['tls']): TlsOptions {
  const hasContext = certificate !== undefined || ca !== undefined;
  const context = {
    ...(certificate !== undefined && { cert: certificate, key }),
    ...(ca !== undefined && { ca }),
  };
  return {
    ...(hasContext && { secureContext: createSecureContext(context) }),
    ...(serverName !== undefined && { servername: serverName }),
  };
}
