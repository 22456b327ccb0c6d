import { ASCII_VALUE, CONNECTION_FIELDS, isFieldName, MESSAGE_FIELDS } from '@trellis/http1';
import { ownOf } from '@trellis/runtime/own-property';
import { readCertificates, readPrivateKey } from '@trellis/runtime/pem';
import { problemOfRedisUrl } from '@trellis/redis/redis-url';
import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol/user-context';
import { problemOfClaimPath } from './claim-path.ts';
import { REQUEST_HEADERS, REQUEST_ID_HEADER, TIMEOUT_HEADER } from './header-names.ts';

/** Says what is wrong with a text (`must be …`), or nothing. */
type TextCheck = (text: string) => string | undefined;

/** A check, or a pattern, which editors apply too. */
type Form = TextCheck | { readonly pattern: RegExp; readonly error: string };

/** Forms of texts, by the names that the tables of settings use. */
export const forms: Readonly<Record<string, Form>> = {
  name: { pattern: /[^]/, error: 'must not be empty' },
  httpUrl: urlOf('http', 'https'),
  streamUrl: urlOf('ws', 'wss', 'http', 'https'),
  httpAddress: { pattern: /^https?:\/\/./, error: 'must be an absolute http or https URL' },
  claimPath: (text) => problemOfClaimPath(text),
  signatureAlgorithm: {
    pattern: /^(?:(?:ES|RS|PS)(?:256|384|512)|EdDSA|Ed25519)$/,
    error:
      'must be a signature algorithm with a public key: ES256, RS256, PS256, each with 384 and 512 as well, EdDSA or Ed25519',
  },
  redisUrl: problemOfRedisUrl,
  errorExtension: (text) =>
    OWN_ERROR_EXTENSIONS.has(text) || !/^[A-Za-z_]\w*$/.test(text)
      ? 'must be a name that is not one of those that the gateway gives itself'
      : undefined,
  headerName: (text) =>
    mayBeForwarded(text.toLowerCase()) ? undefined : 'is no header that may be forwarded or set',
  responseHeaderName: (text) =>
    mayReachClients(text.toLowerCase())
      ? undefined
      : "is no header that subgraphs may send to clients: those of the connection, the message, caches, other origins and identities are the gateway's own",
  headerMerge: { pattern: /^(?:first|last|append)$/, error: 'must be first, last or append' },
  certificates: problemOfCertificates,
  privateKey: problemOfPrivateKey,
  hostName: {
    pattern: /^(?=.{1,253}$)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/,
    error: 'must be the name of a host',
  },
  listeningAddress: {
    pattern: /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/,
    error: 'must be an address and a port',
  },
  graphAtEnvironment: {
    pattern: /^[a-z0-9][a-z0-9_-]{0,63}@[a-z0-9][a-z0-9_-]{0,63}$/,
    error: 'must be a graph and an environment: content@production',
  },
  contractName: {
    pattern: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    error: 'must be the name of a contract: a letter, then at most 63 letters, digits, _ or -',
  },
  headerValue: { pattern: ASCII_VALUE, error: 'must be printable ASCII' },
};

/** The text is not repeated. */
function problemOfCertificates(pem: string): string | undefined {
  try {
    return readCertificates(pem).length > 0 ? undefined : 'must be a certificate in PEM';
  } catch {
    return 'has a certificate that cannot be read';
  }
}

/** The text is not repeated. */
function problemOfPrivateKey(pem: string): string | undefined {
  if (pem.includes('ENCRYPTED')) return 'must be a private key without a passphrase';
  return readPrivateKey(pem) ? undefined : 'must be a private key in PEM';
}

/** Members of `extensions` that have the gateway's word alone, and the one that is no plain member of an object. */
const OWN_ERROR_EXTENSIONS: ReadonlySet<string> = new Set(['requestId', 'retryAfterS', '__proto__']);

/** Rules between the members of a group, by the names that the tables of settings use. */
export const rules: Readonly<
  Record<string, (group: Readonly<Record<string, unknown>>) => string | undefined>
> = {
  corsOrigins: ({ origins, credentials }) =>
    credentials === true && Array.isArray(origins) && origins.includes('*')
      ? 'origins: * and credentials: true exclude one another'
      : undefined,
  responseCookies: ({ response, subgraphs }) =>
    [response, ...valuesOf(subgraphs).map((group) => ownOf(group, 'response'))].every(appendsCookies)
      ? undefined
      : 'response: set-cookie must be append, as no cookie may replace another one',
  safelistManifests: ({ mode, manifests, clients, lists }) =>
    (mode === 'safelist') === [manifests, clients, lists].some((one) => one !== undefined)
      ? undefined
      : 'mode: safelist and manifests go together',
};

function valuesOf(group: unknown): readonly unknown[] {
  return typeof group === 'object' && group !== null ? Object.values(group) : [];
}

function appendsCookies(response: unknown): boolean {
  const rules = typeof response === 'object' && response !== null ? Object.entries(response) : [];
  return rules.every(([name, merge]) => name.toLowerCase() !== 'set-cookie' || merge === 'append');
}

function urlOf(...schemes: readonly string[]): TextCheck {
  return (text) =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1))
      ? undefined
      : `must be an absolute ${schemes.join(' or ')} URL`;
}

/**
 * Headers that can't be configured to be forwarded: those that make up the connection or the message, and those that
 * a subgraph may take for the gateway's own word.
 */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  ...CONNECTION_FIELDS,
  ...MESSAGE_FIELDS,
  ...Object.keys(REQUEST_HEADERS),
  USER_CONTEXT_HEADER,
  REQUEST_ID_HEADER,
  TIMEOUT_HEADER,
  'accept-encoding',
  'content-encoding',
]);

/** What services may trust, and what belongs to the handshake of a WebSocket. */
const NEVER_TRUSTED = /^(x[-_]user[-_]|sec-websocket-)/;

/**
 * Whether an operator may have a header forwarded. `x-user-*` never, as many services trust such headers.
 *
 * @param name in lower case
 */
export function mayBeForwarded(name: string): boolean {
  return isFieldName(name) && !NEVER_FORWARDED.has(name) && !NEVER_TRUSTED.test(name);
}

/**
 * Headers that subgraphs can't send to clients: those that make up the connection or the message, say who may read or store the
 * response, who asks, where to go, or how long to wait, and those that proxies act on.
 */
const NEVER_TO_CLIENTS: ReadonlySet<string> = new Set([
  ...CONNECTION_FIELDS,
  ...MESSAGE_FIELDS,
  REQUEST_ID_HEADER,
  'age',
  'allow',
  'alt-svc',
  'authentication-info',
  'authorization',
  'cache-control',
  'clear-site-data',
  'client-cert',
  'cookie',
  'date',
  'dpop',
  'dpop-nonce',
  'etag',
  'expires',
  'forwarded',
  'last-modified',
  'location',
  'origin',
  'pragma',
  'refresh',
  'retry-after',
  'server',
  'strict-transport-security',
  'timing-allow-origin',
  'vary',
  'via',
  'warning',
  'www-authenticate',
]);

const NEVER_TO_CLIENTS_FAMILY =
  /^(?:accept|access-control|cdn|content|cross-origin|proxy|sec|surrogate|trellis|x-accel|x-content|x-forwarded|x-sendfile|x[-_]user)(?:[-_]|$)/;

/**
 * Whether an operator may have a header of subgraphs go on to clients.
 *
 * @param name in lower case
 */
export function mayReachClients(name: string): boolean {
  return isFieldName(name) && !NEVER_TO_CLIENTS.has(name) && !NEVER_TO_CLIENTS_FAMILY.test(name);
}
