import type { IssuerSettings } from '../settings/identity.ts';
import { trustOf, type IssuerTrust } from '../identity/issuer-trust.ts';

/** An issuer that the configuration names. */
export interface ConfiguredIssuer extends Pick<IssuerSettings, 'issuer' | 'audience' | 'jwksUrl'> {
  readonly trust: IssuerTrust;
}

/** Where issuers are named. */
export interface IssuerSources {
  readonly TOKEN_ISSUER?: string | undefined;
  readonly TOKEN_AUDIENCE?: string | undefined;
  readonly TOKEN_JWKS_URL?: string | undefined;
  readonly settings: {
    readonly authentication?: { readonly issuers?: readonly IssuerSettings[] | undefined } | undefined;
  };
}

/**
 * All whose tokens are accepted. The one of the environment is the first; without it the first of the file is.
 *
 * @throws Error when one is named twice: which of the two would say what it is trusted with
 */
export function configuredIssuers(sources: IssuerSources): readonly ConfiguredIssuer[] {
  const problems = issuerProblems(sources);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return namedIssuers(sources).map((issuer, index) => ({ ...issuer, trust: trustOf(issuer, index === 0) }));
}

/** Why {@link configuredIssuers} is unknown, for the operator; `undefined` where all is well. */
export function issuerProblems(sources: IssuerSources): readonly string[] {
  const names = namedIssuers(sources).map(({ issuer }) => issuer);
  return names
    .filter((name, index) => names.indexOf(name) < index)
    .map((name) => `authentication.issuers: ${name} is named twice; TOKEN_ISSUER counts as one.`);
}

function namedIssuers(sources: IssuerSources): readonly IssuerSettings[] {
  const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_JWKS_URL: jwksUrl, settings } = sources;
  const inFile = settings.authentication?.issuers ?? [];
  const hasAll = issuer !== undefined && audience !== undefined && jwksUrl !== undefined;
  return hasAll ? [{ issuer, audience, jwksUrl }, ...inFile] : inFile;
}
