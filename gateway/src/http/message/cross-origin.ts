import cors from '@fastify/cors';
import { isLoopbackHost } from '@trellis/runtime';
import type { FastifyInstance } from 'fastify';
import type { HttpSettings } from '../../settings/http.ts';

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
 * The rules that `http.cors` states. Where it is absent, pages of other origins may not use the graph; in development those
 * of loopback origins may, such as a front end that its own server serves on another port.
 *
 * @param isDevelopment whether conveniences of development are allowed
 */
export function crossOriginRules(
  given: HttpSettings['cors'],
  isDevelopment: boolean,
): CrossOriginRules | undefined {
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
export function originCheck(rules: CrossOriginRules | undefined): (origin: string) => boolean {
  return rules?.allows ?? (() => false);
}

/** Whether a page is of the origin that the request is sent to. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** What clients read beside the headers that are always readable. */
const READABLE_HEADERS = ['www-authenticate', 'retry-after', 'x-request-id'];

/**
 * Lets web pages of other origins use the graph.
 *
 * @see Fetch standard, "CORS protocol"
 */
export function allowCrossOrigin(server: FastifyInstance, rules: CrossOriginRules): void {
  const { isOpen, allows, credentials, maxAgeS } = rules;
  server.register(cors, {
    origin: isOpen ? '*' : (origin, done) => done(null, origin !== undefined && allows(origin)),
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    credentials,
    maxAge: maxAgeS,
    exposedHeaders: READABLE_HEADERS,
    strictPreflight: true,
  });
}
