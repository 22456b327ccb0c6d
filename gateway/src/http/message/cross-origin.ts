import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Which web pages may use the graph, and how. */
export interface CrossOriginRules {
  /** Origins, or `*` for all of them. */
  readonly origins: readonly string[];
  /** Whether pages may send cookies. @default false */
  readonly credentials?: boolean | undefined;
  /** Seconds for which a browser may remember the answer to its preflight. @default 600 */
  readonly maxAgeS?: number | undefined;
}

const DEFAULT_MAX_AGE_S = 600;
/** What clients read beside the headers that are always readable. */
const READABLE_HEADERS = ['www-authenticate', 'retry-after', 'x-request-id'];

/**
 * Lets web pages of other origins use the graph.
 *
 * @see Fetch standard, "CORS protocol"
 */
export function allowCrossOrigin(server: FastifyInstance, rules: CrossOriginRules): void {
  server.register(cors, {
    origin: rules.origins.includes('*') ? '*' : [...rules.origins],
    methods: ['GET', 'POST'],
    credentials: rules.credentials ?? false,
    maxAge: rules.maxAgeS ?? DEFAULT_MAX_AGE_S,
    exposedHeaders: READABLE_HEADERS,
    strictPreflight: true,
  });
}
