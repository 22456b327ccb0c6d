import { z } from 'zod';
import { authorizationSettings, type AuthorizationSettings } from './authorization-settings.ts';
import { headerSettings, type HeaderSettings } from './header-settings.ts';
import { rateLimitSettings, type RateLimits } from './rate-limit-settings.ts';
import { authenticationSettings, type AuthenticationSettings } from './authentication-settings.ts';
import {
  admissionSettings,
  trafficSettings,
  type AdmissionSettings,
  type TrafficSettings,
} from './traffic-settings.ts';
import { responseCacheSettings, type ResponseCacheSettings } from './response-cache-settings.ts';
import { planningSettings, type PlanningSettings } from './planning-settings.ts';
import { telemetrySettings, type TelemetrySettings } from './tracing-settings.ts';
import {
  liveSettings,
  subscriptionSettings,
  type LiveFileSettings,
  type SubscriptionFileSettings,
} from './settings-of-streams.ts';

/** What an operator configures in `gateway.yaml`. What is absent has the default that the schema names. */
export interface GatewaySettings {
  readonly introspection?: boolean | undefined;
  readonly limits?: LimitSettings | undefined;
  readonly cost?: CostFileSettings | undefined;
  readonly authentication?: AuthenticationSettings | undefined;
  readonly authorization?: AuthorizationSettings | undefined;
  readonly extensions?: ExtensionSettings | undefined;
  readonly headers?: HeaderSettings | undefined;
  readonly http?: HttpSettings | undefined;
  readonly persistedQueries?: PersistedQuerySettings | undefined;
  readonly rateLimits?: RateLimits | undefined;
  readonly timeouts?: TimeoutSettings | undefined;
  readonly planning?: PlanningSettings | undefined;
  /** By label. */
  readonly overridePercents?: Readonly<Record<string, number>> | undefined;
  readonly subscriptions?: SubscriptionFileSettings | undefined;
  readonly live?: LiveFileSettings | undefined;
  readonly responseCache?: ResponseCacheSettings | undefined;
  readonly telemetry?: TelemetrySettings | undefined;
  readonly traffic?: TrafficSettings | undefined;
  readonly admission?: AdmissionSettings | undefined;
}

/** What clients are told beside the answer. */
export interface ExtensionSettings {
  readonly cost?: boolean | undefined;
  readonly plan?: boolean | undefined;
  readonly timings?: boolean | undefined;
}

/** Bounds on what one request may ask for. */
export interface LimitSettings {
  readonly depth?: number | undefined;
  readonly aliases?: number | undefined;
  readonly rootFields?: number | undefined;
  readonly directives?: number | undefined;
  readonly cost?: number | undefined;
  readonly subgraphCalls?: number | undefined;
  readonly tokens?: number | undefined;
  readonly selections?: number | undefined;
  readonly variables?: number | undefined;
  readonly batch?: number | undefined;
  readonly bodyBytes?: number | undefined;
  readonly responseCharacters?: number | undefined;
}

/** What operations cost. */
export interface CostFileSettings {
  readonly field?: number | undefined;
  readonly types?: Readonly<Record<string, number>> | undefined;
  readonly slicingArguments?: readonly string[] | undefined;
  readonly omittedSlice?: number | undefined;
  readonly listSize?: number | undefined;
}

/** How the gateway meets its clients. */
export interface HttpSettings {
  readonly trustProxy?: boolean | readonly string[] | undefined;
  readonly cors?: CorsSettings | undefined;
  readonly compression?: false | { readonly minBytes?: number | undefined } | undefined;
  readonly maxConnections?: number | undefined;
  readonly maxConnectionsPerAddress?: number | undefined;
  readonly unread?: UnreadSettings | undefined;
}

/** How much clients may leave unread of what they are answered. */
export interface UnreadSettings {
  readonly bytes?: number | undefined;
  readonly callerBytes?: number | undefined;
  readonly bytesPerSecond?: number | undefined;
}

/** Which web pages may use the graph. */
export interface CorsSettings {
  readonly origins: readonly string[];
  readonly credentials?: boolean | undefined;
  readonly maxAgeS?: number | undefined;
}

/** What clients may send in the place of an operation's text. */
export interface PersistedQuerySettings {
  readonly mode?: 'automatic' | 'safelist' | 'off' | undefined;
  readonly manifests?: readonly string[] | undefined;
  readonly enforce?: boolean | undefined;
  readonly textBytes?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly lifetimeS?: number | undefined;
  readonly perCallerHour?: number | undefined;
}

/** How long things may take. */
export interface TimeoutSettings {
  readonly requestMs?: number | undefined;
  readonly subgraphMs?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  readonly stalledMs?: number | undefined;
  readonly planningMs?: number | undefined;
}

const count = (description: string): z.ZodOptional<z.ZodNumber> =>
  z.int().min(1).optional().describe(description);
const limits = z
  .strictObject({
    depth: count('Fields from root to leaf. Default 10.'),
    aliases: count('Aliases of an operation. Default 10.'),
    rootFields: count('Fields at the root of an operation. Default 20.'),
    directives: count('Directives of an operation. Default 50.'),
    cost: count('Total cost of an operation, or of all operations of a batch. Default 10,000.'),
    subgraphCalls: count('Requests to subgraphs that the plan of an operation makes. Default 200.'),
    tokens: count('Lexical tokens of a document. Default 10,000.'),
    selections: count(
      'Selections after expanding fragments. Default 5,000. A change takes effect at the next start.',
    ),
    variables: count(
      'Values within the variables of a request. Default 50,000. A change takes effect at the next start.',
    ),
    batch: count('Operations in a batch. Default 10. A change takes effect at the next start.'),
    bodyBytes: count('Bytes of a request body. Default 1,048,576. A change takes effect at the next start.'),
    responseCharacters: count("Characters of an answer's data. Default 33,554,432."),
  })
  .describe('What one request may ask for.');

const cost = z
  .strictObject({
    field: z.int().min(0).optional().describe('Of a field whose schema has no @cost. Default 1.'),
    types: z
      .record(z.string(), z.int().min(0))
      .optional()
      .describe('Of a field that returns the type, by its name. A @cost in the schema wins.'),
    slicingArguments: z
      .array(z.string())
      .optional()
      .describe(
        'Arguments that multiply the cost of what they slice: by their value, or by their length where they are lists. Lists of ids, named like a key of what they ask for (id, ids), always do. Default first, last, limit.',
      ),
    omittedSlice: z
      .int()
      .min(1)
      .optional()
      .describe('Taken for a slicing argument that is absent and has no default. Default 10.'),
    listSize: z
      .int()
      .min(1)
      .optional()
      .describe('Taken for a list that no argument slices and no @listSize sizes. Default 10.'),
  })
  .describe('What operations cost.');

const http = z
  .strictObject({
    trustProxy: z
      .union([z.boolean(), z.array(z.string().min(1))])
      .optional()
      .describe(
        'Whose X-Forwarded-For is believed: addresses or networks, or true for everybody. Default false.',
      ),
    cors: z
      .strictObject({
        origins: z.array(z.string().min(1)).min(1).describe('Origins of web pages, or * for all of them.'),
        credentials: z.boolean().optional().describe('Whether pages may send cookies. Default false.'),
        maxAgeS: z
          .int()
          .min(0)
          .optional()
          .describe('Seconds a browser may remember the answer. Default 600.'),
      })
      .refine(({ origins, credentials }) => !(credentials && origins.includes('*')), {
        error: 'origins: * and credentials: true exclude one another',
      })
      .optional()
      .describe('Which web pages may use the graph. Absent: those of its own origin.'),
    compression: z
      .union([
        z.literal(false),
        z.strictObject({ minBytes: count('Smaller answers stay as they are. Default 1,024.') }),
      ])
      .optional()
      .describe('Compression of answers for clients that accept it. Default on.'),
    maxConnections: count(
      'Connections of clients to a process, idle ones and WebSockets included. Default 32,768.',
    ),
    maxConnectionsPerAddress: count(
      'Those of one address, an IPv6 /64 being one; proxies that trustProxy names are not counted. Networks around it may have more, and all of them less as fewer are free. Default half of maxConnections.',
    ),
    unread: z
      .strictObject({
        bytes: count(
          'Bytes that wait for all clients of a process together; beyond it the slowest readers are cut off. Default 134,217,728.',
        ),
        callerBytes: count(
          'The same for one caller: a user, else a client, else an address. Default half of bytes.',
        ),
        bytesPerSecond: count(
          'Bytes that a client reads in a second, on average, as long as anything waits for it. Who is behind by as many as come together in timeouts.stalledMs is cut off. Default 8,192.',
        ),
      })
      .optional()
      .describe('What clients leave unread of their answers and streams.'),
  })
  .describe('How the gateway meets its clients. A change takes effect at the next start.');

const persistedQueries = z
  .strictObject({
    mode: z
      .enum(['automatic', 'safelist', 'off'])
      .optional()
      .describe(
        'automatic: hashes of texts sent before. safelist: operations of the manifests. Default automatic.',
      ),
    manifests: z
      .array(z.string().min(1))
      .optional()
      .describe(
        "Files of the safelist, in Apollo's or Relay's format, beside gateway.yaml. Changes are taken over.",
      ),
    enforce: z
      .boolean()
      .optional()
      .describe(
        'Whether the safelist refuses other operations, or only tells of them in the log. Default true.',
      ),
    textBytes: count(
      'Bytes of a text that is stored for its hash; longer ones are served and not stored. Default 16,384. A change takes effect at the next start.',
    ),
    memoryBytes: count(
      'Bytes of the texts in the memory of a process. Default 16,777,216. A change takes effect at the next start.',
    ),
    lifetimeS: count(
      'Seconds after its last use for which a text is stored. Default 86,400. A change takes effect at the next start.',
    ),
    perCallerHour: count(
      'Characters of texts that one caller may have stored in an hour, by each process; further ones are served and not stored. Default 2,097,152. A change takes effect at the next start.',
    ),
  })
  .refine(({ mode, manifests }) => (mode === 'safelist') === (manifests !== undefined), {
    error: 'mode: safelist and manifests go together',
  })
  .describe("What clients may send in the place of an operation's text.");

const timeouts = z
  .strictObject({
    requestMs: count(
      'Milliseconds to the first byte of an answer. Default 30,000. A change takes effect at the next start.',
    ),
    subgraphMs: count('Milliseconds for a call of a subgraph. Default 10,000.'),
    heartbeatMs: count(
      'Milliseconds of silence between the parts of an answer, then a heartbeat is sent. Default 10,000. A change takes effect at the next start.',
    ),
    stalledMs: count(
      'Milliseconds for which a client may read nothing of what waits for it; then it is cut off. Default 30,000. A change takes effect at the next start.',
    ),
    planningMs: count(
      'Milliseconds of processor time for planning an operation that is new. Default 5,000. A change takes effect at the next start.',
    ),
  })
  .describe('How long things may take.');

/** The schema of `gateway.yaml`. Unknown keys are refused. */
export const settingsSchema: z.ZodType<GatewaySettings> = z.strictObject({
  introspection: z
    .boolean()
    .optional()
    .describe('Whether __schema and __type are answered. Default true, in production false.'),
  limits: limits.optional(),
  cost: cost.optional(),
  authentication: authenticationSettings.optional(),
  authorization: authorizationSettings.optional(),
  extensions: z
    .strictObject({
      cost: z
        .boolean()
        .optional()
        .describe(
          'The estimated cost of each operation, the limit, and the objects that the answer has (its first part, where it comes in parts). Default false.',
        ),
      plan: z
        .boolean()
        .optional()
        .describe('Which subgraphs are asked for what: for development. Default false.'),
      timings: z
        .boolean()
        .optional()
        .describe('Milliseconds for admission, planning and execution. Default false.'),
    })
    .optional()
    .describe('What clients are told beside the answer.'),
  headers: headerSettings.optional(),
  http: http.optional(),
  persistedQueries: persistedQueries.optional(),
  rateLimits: rateLimitSettings.optional(),
  timeouts: timeouts.optional(),
  planning: planningSettings.optional(),
  overridePercents: z
    .record(z.string(), z.number().min(0).max(100))
    .optional()
    .describe(
      'By label of a progressive @override, for labels other than percent(…): of how many operations in 100 it is on.',
    ),
  subscriptions: subscriptionSettings.optional(),
  live: liveSettings.optional(),
  responseCache: responseCacheSettings.optional(),
  telemetry: telemetrySettings.optional(),
  traffic: trafficSettings.optional(),
  admission: admissionSettings.optional(),
});
