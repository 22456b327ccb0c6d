import { isLoopbackHost } from '@trellis/runtime';
import type { IntrospectionSettings } from '../settings/authentication.ts';
import { trustOf, type IssuerTrust } from '../identity/issuer-trust.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { ownTokenRules, tokenRulesOf, type TokenRules } from '../identity/token-rules.ts';

/** An issuer that the configuration names. */
export interface ConfiguredIssuer {
  readonly issuer: string;
  readonly rules: TokenRules;
  readonly trust: IssuerTrust;
  /** Absent where the issuer's metadata say it. */
  readonly jwksUrl: string | undefined;
  /** Absent where tokens that are no JWT are invalid. */
  readonly introspectionSettings?: IntrospectionSettings | undefined;
}

/** Where issuers are named. */
interface IssuerSources {
  readonly TOKEN_ISSUER?: string | undefined;
  readonly TOKEN_AUDIENCE?: string | undefined;
  readonly TOKEN_JWKS_URL?: string | undefined;
  readonly settings: Pick<GatewaySettings, 'authentication' | 'http'>;
}

/**
 * All whose tokens are accepted. The one of the environment is the first; without it the first of the file is.
 *
 * @throws Error when one is named twice: which of the two would say what it is trusted with
 */
export function configuredIssuers(sources: IssuerSources): readonly ConfiguredIssuer[] {
  const problems = issuerProblems(sources);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const ofEnvironment = issuerOfEnvironment(sources);
  const inFile = sources.settings.authentication?.issuers ?? [];
  const further = inFile.map((settings, index) => ({
    issuer: settings.issuer,
    rules: tokenRulesOf(settings),
    trust: trustOf(settings, index === 0 && !ofEnvironment),
    jwksUrl: settings.jwksUrl,
    introspectionSettings: settings.introspection,
  }));
  return ofEnvironment ? [ofEnvironment, ...further] : further;
}

/** Why {@link configuredIssuers} is unknown, for the operator; `undefined` where all is well. */
export function issuerProblems(sources: IssuerSources): readonly string[] {
  const inFile = sources.settings.authentication?.issuers ?? [];
  const names = [
    ...(sources.TOKEN_ISSUER === undefined ? [] : [sources.TOKEN_ISSUER]),
    ...inFile.map(({ issuer }) => issuer),
  ];
  const twice = names
    .filter((name, index) => names.indexOf(name) < index)
    .map((name) => `authentication.issuers: ${name} is named twice; TOKEN_ISSUER counts as one.`);
  const undiscoverable = inFile
    .filter(({ issuer, jwksUrl }) => jwksUrl === undefined && !isTrustedAddress(issuer))
    .map(
      ({ issuer }) =>
        `authentication.issuers: ${issuer} is not reached by https, so its metadata can't be trusted; set jwksUrl.`,
    );
  const closed =
    sources.settings.authentication?.required && names.length === 0
      ? [
          'authentication.required: there is no issuer whose tokens could be accepted; set TOKEN_ISSUER or authentication.issuers.',
        ]
      : [];
  return [...twice, ...undiscoverable, ...closed, ...certificateProblems(sources)];
}

function issuerOfEnvironment({
  TOKEN_ISSUER: issuer,
  TOKEN_AUDIENCE: audience,
  TOKEN_JWKS_URL: jwksUrl,
}: IssuerSources): ConfiguredIssuer | undefined {
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) return undefined;
  return { issuer, jwksUrl, rules: ownTokenRules(audience), trust: trustOf({}, true) };
}

/** With `true` every client would be a proxy, and could say what it likes. */
function certificateProblems({ settings: { authentication, http } }: IssuerSources): readonly string[] {
  if (!authentication?.clientCertificate || Array.isArray(http?.trustProxy)) return [];
  return ['authentication.clientCertificate: it needs http.trustProxy with the addresses of the proxies.'];
}

/** Whether what is fetched at an address can be trusted: by https, or on this machine. RFC 8414 §3, §6.1. */
export function isTrustedAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
