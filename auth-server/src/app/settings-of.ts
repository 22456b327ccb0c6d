import { allowsConveniences } from '@trellis/runtime';
import type { IssuerRules } from '../issuers/trusted-issuer.ts';
import { paths } from '../paths.ts';
import { grantHandlers } from '../grants/index.ts';
import type { ClientRules, Settings } from '../settings/settings.ts';
import { knownScopes, type AuthServerConfig } from './auth-server-config.ts';

/** What clients can be registered for with this configuration. */
export function clientRulesOf(
  config: Pick<
    AuthServerConfig,
    'API_SCOPES' | 'ADMIN_API' | 'AUDIENCES' | 'CLIENT_CERTIFICATE_HEADER' | 'CLIENT_CERTIFICATE_CA_FILE'
  >,
): ClientRules {
  return {
    apiAudiences: config.AUDIENCES,
    scopes: knownScopes(config),
    certificates: certificatesOf(config),
    grantTypes: [...grantHandlers.keys()],
  };
}

function certificatesOf({
  CLIENT_CERTIFICATE_HEADER: header,
  CLIENT_CERTIFICATE_CA_FILE: authorities,
}: Pick<
  AuthServerConfig,
  'CLIENT_CERTIFICATE_HEADER' | 'CLIENT_CERTIFICATE_CA_FILE'
>): ClientRules['certificates'] {
  if (header === undefined) return 'none';
  return authorities === undefined ? 'registered' : 'issued';
}

/** What trusted issuers can be declared with. @param ownIssuer where it is known */
export function issuerRulesOf(config: AuthServerConfig, ownIssuer: string | undefined): IssuerRules {
  return { scopes: knownScopes(config), ownIssuer, loopback: allowsConveniences(config) };
}

/** What the endpoints need to know of the configuration. @param issuer which the configuration may leave to the address */
export function settingsOf(config: AuthServerConfig, issuer: string): Settings {
  const adminAudience = config.ADMIN_API ? `${issuer}${paths.admin}` : undefined;
  return {
    issuer,
    audiences: adminAudience === undefined ? config.AUDIENCES : [...config.AUDIENCES, adminAudience],
    adminAudience,
    adminSignInMaxAgeS: config.ADMIN_SIGN_IN_MAX_AGE_S,
    registrationToken: config.REGISTRATION_TOKEN,
    ...clientRulesOf(config),
    accessTokenTtlS: config.ACCESS_TOKEN_TTL_S,
    idTokenTtlS: config.ID_TOKEN_TTL_S,
    codeTtlS: config.CODE_TTL_S,
    deviceCodeTtlS: config.DEVICE_CODE_TTL_S,
    refreshIdleTtlS: config.REFRESH_TOKEN_IDLE_TTL_S,
    refreshTtlS: config.REFRESH_TOKEN_TTL_S,
    sessionTtlS: config.SESSION_TTL_S,
    transactionTtlS: config.TRANSACTION_TTL_S,
    linkTtlS: config.LINK_TTL_S,
    signUp: config.SIGN_UP,
    certificateUrl: config.MTLS_URL,
    keySetMaxAgeS: Math.min(300, config.KEY_PUBLICATION_LEAD_S),
  };
}

/** Seconds by which clocks may differ; added to what is remembered of a token. */
export const CLOCK_SKEW_S = 60;

/** Seconds for which a revocation is remembered: as long as an access token may be about. */
export function revocationTtlOf(config: AuthServerConfig): number {
  return config.ACCESS_TOKEN_TTL_S + CLOCK_SKEW_S;
}
