import type { Logger } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { isTrustedAddress, type ConfiguredIssuer } from '../config/configured-issuers.ts';
import type { CallerRules } from '../identity/caller-of-token.ts';
import { createIssuerDiscovery, type IssuerDiscovery } from '../identity/discover-issuer.ts';
import { fetchKeySet, createKeySet, type KeySet } from '../identity/key-set.ts';
import { createTokenIntrospection, type TokenIntrospection } from '../identity/introspect-token.ts';
import { authentication } from '../settings/authentication.ts';

/** What is known of issuers, through every change of the configuration. */
export interface IssuerConnections {
  /** The keys of an issuer: those at the address of its JWKS, or where its metadata say. */
  keysOf(issuer: Pick<ConfiguredIssuer, 'issuer' | 'jwksUrl'>): KeySet;
  /** Absent where tokens that are no JWT are invalid. */
  introspectionOf(issuer: ConfiguredIssuer, rules: IntrospectionRules): TokenIntrospection | undefined;
}

/** What holds for the tokens of all issuers. */
export interface IntrospectionRules {
  readonly leewayS: number;
  readonly callerRules: CallerRules;
}

/** Settings of {@link createIssuerConnections}. */
export interface IssuerConnectionsOptions {
  readonly cooldownMs: () => number;
  readonly logger: Logger;
}

/** Opens them at need: an issuer need not be there yet. */
export function createIssuerConnections({ cooldownMs, logger }: IssuerConnectionsOptions): IssuerConnections {
  const keySets = new Map<string, KeySet>();
  const discoveries = new Map<string, IssuerDiscovery>();

  function discoveryOf(issuer: string): IssuerDiscovery {
    const known = discoveries.get(issuer);
    if (known) return known;
    const options = { issuer, isTrusted: isTrustedAddress, maxPauseMs: cooldownMs };
    const discovery = createIssuerDiscovery(options);
    discoveries.set(issuer, discovery);
    return discovery;
  }

  function keysOf({ issuer, jwksUrl }: Pick<ConfiguredIssuer, 'issuer' | 'jwksUrl'>): KeySet {
    const source = jwksUrl ?? `metadata of ${issuer}`;
    const known = keySets.get(source);
    if (known) return known;
    const keys = createKeySet({
      fetchKeys: async () =>
        fetchKeySet(jwksUrl ?? (await discovered(discoveryOf(issuer), issuer, 'jwksUrl'))),
      cooldownMs,
      outages: createOutageLog({
        logger,
        failure: 'issuer keys unavailable',
        success: 'issuer keys available again',
        bindings: { issuer, ...(jwksUrl !== undefined && { jwksUrl }) },
      }),
    });
    keys.load().catch(() => undefined); // logged, and retried at need
    keySets.set(source, keys);
    return keys;
  }

  return {
    keysOf,
    introspectionOf({ introspectionSettings: introspection, ...issuer }, { leewayS, callerRules }) {
      if (!introspection) return undefined;
      const { url, clientId, clientSecret } = introspection;
      const { cacheS = DEFAULTS.cacheS, negativeCacheS = DEFAULTS.negativeCacheS } = introspection;
      const { maxConcurrent = DEFAULTS.maxConcurrent, signed = DEFAULTS.signed } = introspection;
      return createTokenIntrospection({
        ...issuer,
        url: async () => url ?? discovered(discoveryOf(issuer.issuer), issuer.issuer, 'introspectionUrl'),
        clientId,
        clientSecret,
        cacheMs: cacheS * 1_000,
        negativeCacheMs: negativeCacheS * 1_000,
        maxConcurrent,
        signedBy: signed ? keysOf(issuer) : undefined,
        leewayS,
        callerRules,
        outages: createOutageLog({
          logger,
          failure: 'introspection unavailable',
          success: 'introspection available again',
          bindings: { issuer: issuer.issuer },
        }),
      });
    },
  };
}

const { members: asked } = authentication.members.issuers.members.introspection;
const DEFAULTS = {
  cacheS: asked.cacheS.default,
  negativeCacheS: asked.negativeCacheS.default,
  maxConcurrent: asked.maxConcurrent.default,
  signed: asked.signed.default,
} as const;

/** What the metadata call each address. */
const NAMES = {
  jwksUrl: ['jwks_uri', 'jwksUrl'],
  introspectionUrl: ['introspection_endpoint', 'introspection.url'],
} as const;

async function discovered(
  discovery: IssuerDiscovery,
  issuer: string,
  what: keyof typeof NAMES,
): Promise<string> {
  const url = (await discovery.metadata())[what];
  if (url !== undefined) return url;
  const [name, setting] = NAMES[what];
  throw new Error(`The metadata of ${issuer} have no ${name}. Set ${setting} of authentication.issuers.`);
}
