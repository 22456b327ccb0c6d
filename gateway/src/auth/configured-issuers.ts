import { ConfigError } from '@trellis/config';
import type { IssuerSettings } from './authentication-settings.ts';
import { trustOf, type IssuerTrust } from './issuer-trust.ts';

/** An issuer that the configuration names. */
export interface ConfiguredIssuer extends Pick<IssuerSettings, 'issuer' | 'audience' | 'jwksUrl'> {
  readonly trust: IssuerTrust;
}

/** Where issuers are named. */
export interface IssuerSources {
  readonly TOKEN_ISSUER: string | undefined;
  readonly TOKEN_AUDIENCE: string | undefined;
  readonly TOKEN_JWKS_URL: string | undefined;
  readonly settings: {
    readonly authentication?: { readonly issuers?: readonly IssuerSettings[] | undefined } | undefined;
  };
}

/**
 * All whose tokens are accepted. The one of the environment is the first; without it the first of the file is.
 *
 * @throws ConfigError when one is named twice: which of the two would say what it is trusted with
 */
export function configuredIssuers(sources: IssuerSources): readonly ConfiguredIssuer[] {
  const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_JWKS_URL: jwksUrl, settings } = sources;
  const inFile = settings.authentication?.issuers ?? [];
  const hasAll = issuer !== undefined && audience !== undefined && jwksUrl !== undefined;
  const all = hasAll ? [{ issuer, audience, jwksUrl }, ...inFile] : inFile;
  assertDistinct(all.map((configured) => configured.issuer));
  return all.map((configured, index) => ({ ...configured, trust: trustOf(configured, index === 0) }));
}

function assertDistinct(names: readonly string[]): void {
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  if (twice.length > 0)
    throw new ConfigError(
      'gateway',
      twice.map((name) => `authentication.issuers: ${name} is named twice; TOKEN_ISSUER counts as one.`),
    );
}
