import { isFieldName } from '@trellis/http1/fields';
import { isRedisCluster } from '@trellis/redis';
import { allowsConveniences, isLoopbackHost } from '@trellis/runtime';
import type { AuthServerConfig } from './auth-server-config.ts';
import { readTrustedIssuersFile } from '../issuers/trusted-issuers-file.ts';
import { clientRulesOf, issuerRulesOf } from './settings-of.ts';
import { isNetwork } from '../outbound/address-guard.ts';
import { readClientsFile } from '../clients/clients-file.ts';
import { readTheme } from '../pages/theme/read-theme.ts';
import { adminScopes, isKnownScope, openidScopes, parseScope } from '../clients/scopes.ts';
import { readCertificateAuthorities } from '../clients/authentication/certificate-authorities.ts';
import { readCertificate } from './tls-certificate.ts';

/**
 * The config rules that a configuration breaks, one sentence each: forbidden combinations of values, conveniences of
 * development where others reach the server, and invalid files.
 */
export function brokenRules(config: AuthServerConfig): readonly string[] {
  return [
    ...issuerProblems(config),
    ...audienceProblems(config.AUDIENCES),
    ...scopeProblems(config.API_SCOPES),
    ...lifetimeProblems(config),
    ...networkProblems(config.BACKCHANNEL_NETWORKS),
    ...mailProblems(config),
    ...tlsProblems(config),
    ...clientCertificateProblems(config),
    ...convenienceProblems(config),
    ...clientsFileProblems(config),
    ...trustedIssuersProblems(config),
    ...themeProblems(config),
    ...gatewayProblems(config.GATEWAY_OPERATIONS_URLS),
  ];
}

const MOST_GATEWAYS = 20;

function gatewayProblems(addresses: Readonly<Record<string, string>>): string[] {
  const isPlain = (text: string): boolean => {
    const { username, password, pathname, search, hash } = new URL(text);
    return username + password + search + hash === '' && pathname === '/';
  };
  const wrong = Object.entries(addresses).filter(([, address]) => !isPlain(address));
  return [
    ...(Object.keys(addresses).length > MOST_GATEWAYS
      ? [`GATEWAY_OPERATIONS_URLS: ${MOST_GATEWAYS} gateways at most.`]
      : []),
    ...wrong.map(([name]) => `GATEWAY_OPERATIONS_URLS: ${name} must be a host and a port alone.`),
  ];
}

function issuerProblems({ ISSUER: issuer }: AuthServerConfig): string[] {
  return baseUrlProblems('ISSUER', issuer)
    .filter(([holds]) => holds)
    .map(([, problem]) => problem);
}

function baseUrlProblems(name: string, url: string | undefined): readonly [boolean, string][] {
  if (url === undefined) return [];
  const { protocol, hostname, search, hash, username } = new URL(url);
  return [
    [url.endsWith('/'), `${name}: must not end in a slash.`],
    [search !== '' || hash !== '' || username !== '', `${name}: must have no query, fragment or user.`],
    [
      protocol === 'http:' && !isLoopbackHost(hostname),
      `${name}: must be https, except on a loopback address.`,
    ],
  ];
}

function audienceProblems(audiences: readonly string[]): string[] {
  if (audiences.length === 0) return ['AUDIENCES: at least one is needed.'];
  return audiences
    .filter((audience) => !URL.canParse(audience) || audience.includes('#'))
    .map((audience) => `AUDIENCES: ${audience} is not an absolute URI without a fragment (RFC 8707).`);
}

function scopeProblems(scopes: readonly string[]): string[] {
  return scopes
    .filter(
      (scope) =>
        parseScope(scope) === undefined ||
        [...adminScopes, ...openidScopes].some((reserved) => isKnownScope([scope], reserved)),
    )
    .map((scope) => `API_SCOPES: ${scope} is not possible as a scope of an API.`);
}

function networkProblems(networks: readonly string[]): string[] {
  return networks
    .filter((network) => !isNetwork(network))
    .map((network) => `BACKCHANNEL_NETWORKS: ${network} is no network in CIDR notation.`);
}

function lifetimeProblems(config: AuthServerConfig): string[] {
  const problems: [boolean, string][] = [
    [config.SIGN_UP && config.MAIL_URL === undefined, 'SIGN_UP: needs MAIL_URL.'],
    [
      config.REFRESH_TOKEN_IDLE_TTL_S > config.REFRESH_TOKEN_TTL_S,
      'REFRESH_TOKEN_IDLE_TTL_S: must not exceed REFRESH_TOKEN_TTL_S.',
    ],
    [
      config.REDIS_REPLICAS > 0 && isRedisCluster(config.REDIS_URL),
      'REDIS_REPLICAS: is not possible with a cluster.',
    ],
    [config.SESSION_IDLE_TTL_S > config.SESSION_TTL_S, 'SESSION_IDLE_TTL_S: must not exceed SESSION_TTL_S.'],
    [
      config.KEY_RELOAD_INTERVAL_S > config.KEY_PUBLICATION_LEAD_S,
      'KEY_RELOAD_INTERVAL_S: must not exceed KEY_PUBLICATION_LEAD_S.',
    ],
    [
      config.KEY_PUBLICATION_LEAD_S > config.KEY_ROTATION_INTERVAL_S,
      'KEY_PUBLICATION_LEAD_S: must not exceed KEY_ROTATION_INTERVAL_S.',
    ],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

function mailProblems({ MAIL_URL: mailUrl, MAIL_FROM, MAIL_WEBHOOK_SECRET }: AuthServerConfig): string[] {
  if (mailUrl === undefined || mailUrl === 'log:') return [];
  const isWebhook = mailUrl.startsWith('http');
  const problems: [boolean, string][] = [
    [MAIL_FROM === undefined, 'MAIL_FROM: is needed with MAIL_URL.'],
    [isWebhook && MAIL_WEBHOOK_SECRET === undefined, 'MAIL_WEBHOOK_SECRET: is needed for a webhook.'],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

function tlsProblems(config: AuthServerConfig): string[] {
  const hasCertificate = config.TLS_CERT_FILE !== undefined;
  if (hasCertificate !== (config.TLS_KEY_FILE !== undefined)) {
    return ['TLS_CERT_FILE and TLS_KEY_FILE: give both or neither.'];
  }
  const isHttps = config.ISSUER?.startsWith('https:') ?? false;
  if (hasCertificate && !isHttps) return ['TLS_CERT_FILE: the ISSUER must be https then.'];
  const endsElsewhere = config.TRUSTED_PROXIES.length > 0;
  if (hasCertificate) return certificateProblems(config);
  if (!isHttps || endsElsewhere) return [];
  return ['ISSUER: https needs TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXIES where a proxy ends TLS.'];
}

function certificateProblems({
  TLS_CERT_FILE: certFile = '',
  TLS_KEY_FILE: keyFile = '',
}: AuthServerConfig): string[] {
  try {
    readCertificate({ certFile, keyFile });
    return [];
  } catch (error) {
    return [`TLS_CERT_FILE and TLS_KEY_FILE: ${error instanceof Error ? error.message : String(error)}.`];
  }
}

/** RFC 8705 */
function clientCertificateProblems(config: AuthServerConfig): readonly string[] {
  const {
    CLIENT_CERTIFICATE_HEADER: header,
    MTLS_URL: url,
    CLIENT_CERTIFICATE_CA_FILE: authorities,
  } = config;
  const problems: [boolean, string][] = [
    [
      header !== undefined && !isFieldName(header.toLowerCase()),
      'CLIENT_CERTIFICATE_HEADER: is no name of a header.',
    ],
    [
      header !== undefined && config.TRUSTED_PROXIES.length === 0,
      'CLIENT_CERTIFICATE_HEADER: needs TRUSTED_PROXIES, who are trusted to send it.',
    ],
    [
      header === undefined && authorities !== undefined,
      'CLIENT_CERTIFICATE_CA_FILE: needs CLIENT_CERTIFICATE_HEADER.',
    ],
    [header === undefined && url !== undefined, 'MTLS_URL: needs CLIENT_CERTIFICATE_HEADER.'],
    ...baseUrlProblems('MTLS_URL', url),
  ];
  const broken = authorities === undefined ? undefined : authoritiesProblem(authorities);
  return [
    ...problems.filter(([holds]) => holds).map(([, problem]) => problem),
    ...(broken === undefined ? [] : [`CLIENT_CERTIFICATE_CA_FILE: ${broken}`]),
  ];
}

function authoritiesProblem(path: string): string | undefined {
  try {
    readCertificateAuthorities(path);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is made for development, each with whether it is in use. */
const conveniences: readonly (readonly [isUsed: (config: AuthServerConfig) => boolean, name: string])[] = [
  [({ DEMO_DATA }) => DEMO_DATA, 'DEMO_DATA: is'],
  [({ MAIL_URL }) => MAIL_URL === 'log:', 'MAIL_URL: log: is'],
  [({ ISSUER }) => ISSUER === undefined, 'ISSUER: is required; an implied one is'],
];

function convenienceProblems(config: AuthServerConfig): string[] {
  if (allowsConveniences(config)) return [];
  const place =
    config.NODE_ENV === 'production'
      ? 'rejected in production.'
      : 'only for an issuer and a HOST that are loopback addresses.';
  return conveniences.filter(([isUsed]) => isUsed(config)).map(([, sentence]) => `${sentence} ${place}`);
}

function clientsFileProblems(config: AuthServerConfig): readonly string[] {
  if (config.CLIENTS_FILE === undefined) return [];
  return readClientsFile(config.CLIENTS_FILE, clientRulesOf(config)).problems;
}

function themeProblems({ THEME_FOLDER: folder }: AuthServerConfig): readonly string[] {
  const read = folder === undefined ? undefined : readTheme(folder);
  return read?.kind === 'problems' ? read.problems.map((problem) => `THEME_FOLDER: ${problem}`) : [];
}

function trustedIssuersProblems(config: AuthServerConfig): readonly string[] {
  const { TRUSTED_ISSUERS_FILE: path, ISSUER: issuer } = config;
  return path === undefined ? [] : readTrustedIssuersFile(path, issuerRulesOf(config, issuer)).problems;
}
