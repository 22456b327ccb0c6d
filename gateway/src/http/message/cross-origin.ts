import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopbackHost } from '@trellis/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpSettings } from '../../settings/http.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import { rejected } from '../../errors.ts';

/** Which web pages of other origins may use the graph, and how. */
export interface CrossOriginRules {
  /** Whether pages of all origins may: the response is the same for each of them. */
  readonly isOpen: boolean;
  /** Whether pages of an origin may. */
  readonly allows: (origin: string) => boolean;
  /** Whether pages may send cookies. */
  readonly credentials: boolean;
  /** Seconds for which a browser may remember the response to its preflight. */
  readonly maxAgeS: number;
}

/**
 * The rules that `http.cors` states now. Where it is absent, pages of other origins may not use the graph; in development those
 * of loopback origins may, such as a front end that its own server serves on another port.
 *
 * @param given `http.cors` as it is in force, the same object until it changes
 * @param isDevelopment whether conveniences of development are allowed
 */
export function crossOriginRules(
  given: () => HttpSettings['cors'],
  isDevelopment: boolean,
): () => CrossOriginRules | undefined {
  let source = given();
  let rules = rulesOf(source, isDevelopment);
  return () => {
    const now = given();
    if (now === source) return rules;
    source = now;
    rules = rulesOf(source, isDevelopment);
    return rules;
  };
}

function rulesOf(given: HttpSettings['cors'], isDevelopment: boolean): CrossOriginRules | undefined {
  if (given) {
    const { origins, credentials, maxAgeS } = given;
    const isOpen = origins.includes('*');
    return { isOpen, allows: (origin) => isOpen || origins.includes(origin), credentials, maxAgeS };
  }
  if (!isDevelopment) return undefined;
  return {
    isOpen: false,
    allows: isLoopbackOrigin,
    credentials: false, // as in production, so that what works here works there
    maxAgeS: LOOPBACK_MAX_AGE_S,
  };
}

/** While one develops, settings change often. */
const LOOPBACK_MAX_AGE_S = 5;

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: canonical } = new URL(origin);
  return /^https?:$/.test(protocol) && canonical === origin && isLoopbackHost(hostname);
}

/** Whether pages of an origin may use the graph. */
export function originCheck(rules: () => CrossOriginRules | undefined): (origin: string) => boolean {
  return (origin) => rules()?.allows(origin) ?? false;
}

/** What a response varies by, whether or not its request comes from a page: caches have to know. */
export function varyOf(rules: CrossOriginRules | undefined): 'Origin' | undefined {
  return rules && !rules.isOpen ? 'Origin' : undefined;
}

/** Whether a page is of the origin that the request is sent to. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** What scripts of pages read beside the headers that are always readable. */
const READABLE_HEADERS = 'www-authenticate, retry-after, x-request-id';
const METHODS = 'GET, POST, PUT, DELETE';

/**
 * Lets web pages of other origins use the graph. What is added to the server behind it finds the headers for scripts set.
 *
 * @param rules those that hold for the next request
 * @param forwarded names of the headers of subgraphs that clients get
 * @see Fetch standard, "CORS protocol"
 */
export function allowCrossOrigin(
  server: FastifyInstance,
  rules: () => CrossOriginRules | undefined,
  forwarded: () => readonly string[],
): void {
  server.addHook('onRequest', (request, reply, done) => {
    const inForce = rules();
    if (!inForce) return done();
    const vary = varyOf(inForce);
    if (vary !== undefined) addVary(reply, vary);
    const { origin } = request.headers;
    const isAllowed = inForce.isOpen || (origin !== undefined && inForce.allows(origin));
    if (!isAllowed) return done();
    addCorsHeaders(reply, inForce, origin, forwarded());
    if (request.method !== 'OPTIONS') return done();
    answerPreflight(request, reply, inForce);
  });
}

/** Has the server run the hook of {@link allowCrossOrigin} for preflights of every address. */
export function answerPreflights(server: FastifyInstance): void {
  server.options('*', (_request, reply) => reply.callNotFound());
}

function addCorsHeaders(
  reply: FastifyReply,
  rules: CrossOriginRules,
  origin: string | undefined,
  forwarded: readonly string[],
): void {
  reply.header('access-control-allow-origin', rules.isOpen ? '*' : origin);
  reply.header('access-control-expose-headers', [READABLE_HEADERS, ...forwarded].join(', '));
  if (rules.credentials) reply.header('access-control-allow-credentials', 'true');
}

function answerPreflight(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { maxAgeS }: CrossOriginRules,
): void {
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) {
    reply.status(400).type('text/plain').send('Invalid Preflight Request');
    return;
  }
  const asked = headers['access-control-request-headers'];
  addVary(reply, 'Access-Control-Request-Headers');
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  reply.header('access-control-allow-methods', METHODS).header('access-control-max-age', String(maxAgeS));
  reply.status(204).header('content-length', '0').send();
}

function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? name : `${String(before)}, ${name}`);
}

/**
 * A web page can make a browser send certain requests to any origin, cookies and network position included, without
 * asking that origin first: every GET, and POSTs with the few media types of HTML forms or with none. The response stays
 * unreadable to the page, but the work is done. Any header that a page may not set by itself makes the browser ask
 * (a CORS preflight): these do.
 */
const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;
/** Browsers add `Basic`, `Digest` and `Negotiate` by themselves, and never a token. */
const TOKEN = /^(?:Bearer|DPoP) /i;
/** Modes in which a page sets no header that has to be asked for: a proxy added those that came. */
const SILENT_MODES: ReadonlySet<string> = new Set(['no-cors', 'navigate']);
/** With what every browser's User-Agent begins. A page cannot change it without a preflight. */
const BROWSER = /^\s*Mozilla\//i;

/**
 * Rejects a request that a page of another origin could have made a browser send without asking.
 *
 * @param isPreflighted whether something else about the request already makes browsers ask, such as its media type
 * @param allowsOrigin whether pages of an origin may use the graph
 * @throws RequestError CSRF_PREVENTED
 * @see docs/adr/0057-who-could-have-sent-a-simple-request.md; Fetch standard, "CORS-safelisted request-header"; Fetch Metadata
 */
export function preventCsrf(
  headers: IncomingHttpHeaders,
  isPreflighted: boolean,
  allowsOrigin: (origin: string) => boolean,
): void {
  if (isPreflighted || hasBeenAskedFor(headers) || !mayBeForged(headers, allowsOrigin)) return;
  throw rejected(
    'CSRF_PREVENTED',
    'A web page could send this request across origins without asking. Send it by POST with "content-type: application/json", ' +
      `or with a header that pages can't set by themselves: authorization with a token, ${PREFLIGHT_HEADERS.join(' or ')}.`,
  );
}

function hasBeenAskedFor(headers: IncomingHttpHeaders): boolean {
  const isMarked =
    TOKEN.test(headers.authorization ?? '') || PREFLIGHT_HEADERS.some((name) => Boolean(headers[name]));
  return isMarked && !SILENT_MODES.has(String(headers['sec-fetch-mode']));
}

/** Browsers say where a request comes from, except to plain http addresses of other machines: there they give their name alone. */
function mayBeForged(headers: IncomingHttpHeaders, allowsOrigin: (origin: string) => boolean): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site === 'same-origin' || site === 'none') return false;
  if (origin !== undefined) return !isOwnOrigin(origin, headers.host) && !allowsOrigin(origin);
  return site !== undefined || BROWSER.test(headers['user-agent'] ?? '');
}

/** Whether requests are served that name a host, by their header `Host`. */
export type HostCheck = (host: string | undefined) => boolean;

/** What says by which hosts clients know the gateway. */
export type HostSettings = Pick<TransportSettings, 'http' | 'authentication'>;

/** Settings of {@link servedHosts}. */
export interface HostOptions {
  /** Those in force, the same object until they change. */
  readonly settings: () => HostSettings;
  /** An address by which clients know the graph, where one is. */
  readonly resourceUrl: () => string | undefined;
  /** Whether conveniences of development are allowed. */
  readonly isDevelopment: boolean;
}

/**
 * The check that holds now. A page of a site whose name leads to this machine (DNS rebinding) sends what a page of the gateway's own
 * origin may, but with the name of that site. Names that no other site can have are always served: `localhost`, those below it (RFC 6761
 * §6.3), and addresses, which no DNS resolves.
 *
 * @returns nothing where every host is served: outside of development, without `http.hosts`
 */
export function servedHosts(options: HostOptions): () => HostCheck | undefined {
  let source = options.settings();
  let check = checkOf(source, options);
  return () => {
    const now = options.settings();
    if (now === source) return check;
    source = now;
    check = checkOf(source, options);
    return check;
  };
}

function checkOf(
  { http, authentication: { resource, dpopUrls = [] } }: HostSettings,
  { resourceUrl, isDevelopment }: HostOptions,
): HostCheck | undefined {
  if (!http.hosts && !isDevelopment) return undefined;
  const urls = [...dpopUrls, resource, resourceUrl()].filter((url) => url !== undefined);
  const names = [...(http.hosts ?? []), ...urls.map((url) => new URL(url).hostname)];
  const served = new Set(names.map((name) => name.toLowerCase()));
  return (host) => {
    if (host === undefined) return true; // browsers always send it
    const name = nameOf(host);
    return isOfThisMachine(name) || served.has(name);
  };
}

/** Without the port, and without the brackets of IPv6. RFC 3986 §3.2.2 */
function nameOf(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

function isOfThisMachine(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
}
