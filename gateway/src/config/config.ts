import {
  ConfigError,
  type Environment,
  list,
  nodeEnvironment,
  type NodeEnvironment,
  port,
  processVariables,
  readConfig,
  secrets,
  url,
  wholeNumber,
} from '@trellis/runtime';
import type { JWK } from 'jose';
import { z } from 'zod';
import { issuerProblems } from './configured-issuers.ts';
import { mayBeForwarded } from '../settings/forms.ts';
import { locateSupergraph } from '../supergraph/locate-supergraph.ts';
import { readSettings } from './read-settings.ts';
import type { GatewaySettings } from '../settings/settings.ts';

/** Subgraph URLs by subgraph name. */
export type SubgraphUrls = Readonly<Record<string, string>>;

/** The type of each variable. */
export type ConfigShape = {
  readonly LOG_LEVEL: z.ZodType<string>;
  readonly OPERATIONS_PORT: z.ZodType<number>;
  readonly OPERATIONS_HOST: z.ZodType<string>;
  readonly OPERATIONS_SECRET: z.ZodType<readonly string[] | undefined>;
  readonly PORT: z.ZodType<number>;
  readonly HOST: z.ZodType<string>;
  readonly NODE_ENV: z.ZodType<NodeEnvironment | undefined>;
  readonly SUPERGRAPH: z.ZodType<string>;
  readonly CONFIG: z.ZodType<string | undefined>;
  readonly GUARDS: z.ZodType<'on' | 'off' | undefined>;
  readonly TOKEN_ISSUER: z.ZodType<string | undefined>;
  readonly TOKEN_AUDIENCE: z.ZodType<string | undefined>;
  readonly TOKEN_JWKS_URL: z.ZodType<string | undefined>;
  readonly USER_CONTEXT_PRIVATE_KEY: z.ZodType<JWK | undefined>;
  readonly SUBGRAPH_URLS: z.ZodType<SubgraphUrls>;
  readonly FORWARD_HEADERS: z.ZodType<readonly string[]>;
  readonly REDIS_URL: z.ZodType<string | undefined>;
  readonly CACHE_REDIS_URL: z.ZodType<string | undefined>;
  readonly PRESENCE_INTERVAL_S: z.ZodType<number>;
  readonly WORKERS: z.ZodType<number>;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: z.ZodType<string | undefined>;
};

const privateKey = z.string().transform((text, context): JWK => {
  const key = parsePrivateKey(text);
  if (key) return key;
  context.addIssue({
    code: 'custom',
    message: 'must be a private JWK of the curve P-256 with a kid, as JSON',
  });
  return z.NEVER;
});

const subgraphUrls = z
  .string()
  .transform((text, context): SubgraphUrls => {
    const urls: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const item of text.split(/\s+/).filter((word) => word !== '')) {
      const [, name, target] = /^([^=]+)=(https?:\/\/.+)$/.exec(item) ?? [];
      if (name !== undefined && target !== undefined && URL.canParse(target)) urls[name] = target;
      else context.addIssue({ code: 'custom', message: `"${item}" must be name=http://… or name=https://…` });
    }
    return urls;
  })
  .default({});

const forwardHeaders = list([]).refine((names) => names.every((name) => mayBeForwarded(name.toLowerCase())), {
  error:
    'must not name headers of the connection, of the message, or that pass for what the gateway says (x-user-*, …)',
});

const redisUrl = z
  .string()
  .refine((text) => text.split(',').every((node) => /^rediss?:\/\/./.test(node) && URL.canParse(node)), {
    error: 'must be redis://… or rediss://…, several separated by commas',
  });

/** The gateway's environment. With the prefix `GATEWAY_`, a variable wins over the plain name. */
export const configSchema: z.ZodObject<ConfigShape> = z.object({
  ...processVariables,
  OPERATIONS_SECRET: secrets()
    .optional()
    .describe(
      'What POST /cache/invalidate at the operations port has to bring as a bearer token: at least 128 bits. Several, separated by spaces, are all good. Absent: it is served where OPERATIONS_HOST is a loopback address, and refused elsewhere.',
    ),
  PORT: port(4000).describe('Port of the graph. 0 takes any free one.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  NODE_ENV: nodeEnvironment().describe(
    'development, test or production. production hides internal errors and switches introspection off. Absent: production, unless HOST is a loopback address.',
  ),
  SUPERGRAPH: z
    .string()
    .refine((text) => locateSupergraph(text) !== undefined, {
      error: 'must be a path, an http(s) URL, or running subgraphs, each once: name=http://… name=https://…',
    })
    .describe(
      'Path or http(s) URL of the supergraph schema; or, in development, running subgraphs to compose: users=http://… posts=http://… A change is taken over within seconds.',
    ),
  CONFIG: z.string().optional().describe('Path of gateway.yaml.'),
  GUARDS: z
    .enum(['on', 'off'])
    .optional()
    .describe(
      'Whether depth, aliases, root fields, directives and cost are limited. Absent: on where CONFIG or TOKEN_ISSUER is given.',
    ),
  TOKEN_ISSUER: url('http', 'https')
    .optional()
    .describe('Issuer of access tokens. Absent: no token is checked, and what needs one is refused.'),
  TOKEN_AUDIENCE: z.string().optional().describe("What a token's aud has to be. Goes with TOKEN_ISSUER."),
  TOKEN_JWKS_URL: url('http', 'https')
    .optional()
    .describe("Where the issuer's public keys are. Goes with TOKEN_ISSUER."),
  USER_CONTEXT_PRIVATE_KEY: privateKey
    .optional()
    .describe(
      'The private JWK (P-256, with kid) that the user context for subgraphs is signed with. Absent: no context is sent.',
    ),
  SUBGRAPH_URLS: subgraphUrls.describe(
    'Where subgraphs are asked instead of the URLs in the supergraph: users=http://… posts=http://…',
  ),
  FORWARD_HEADERS: forwardHeaders.describe(
    'Names of client headers that subgraphs get. All others stay here.',
  ),
  REDIS_URL: redisUrl
    .optional()
    .describe(
      'Redis of the auth-server, which publishes revoked grants there, and of the subgraphs, which learn there who is online. Several URLs, separated by commas, are the nodes of a cluster. Absent: revocations are not seen.',
    ),
  CACHE_REDIS_URL: redisUrl
    .optional()
    .describe(
      'Redis of its own for what clients can have stored: persisted queries, rates, used proofs, and the response cache. It needs maxmemory and an evicting maxmemory-policy, and is never the Redis of REDIS_URL: production refuses both at start. Absent: each process for itself, in bounded memory.',
    ),
  PRESENCE_INTERVAL_S: wholeNumber(0, 3_600, 0).describe(
    'Interval of writing presence to REDIS_URL, seconds; well below PRESENCE_WINDOW_S of the users subgraph. 0: off.',
  ),
  WORKERS: wholeNumber(1, 64, 1).describe('Processes that share the port.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https')
    .optional()
    .describe(
      'Collector that OpenTelemetry traces go to over HTTP, without /v1/traces. Absent: gateway.yaml decides.',
    ),
});

/** All that the gateway is configured with. */
export type GatewayConfig = Readonly<z.output<typeof configSchema>> & {
  /** From the file that CONFIG names; empty without one. */
  readonly settings: GatewaySettings;
  /** What `${NAME}` in the file stands for. */
  readonly environment: Environment;
};

/**
 * Reads the environment, and the file that CONFIG names. A variable that is empty counts as absent.
 *
 * @throws ConfigError with all that is wrong
 */
export function readGatewayConfig(environment: Environment): GatewayConfig {
  const problems: string[] = [];
  const collect = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const config = collect(() =>
    readConfig(configSchema, environment, {
      subject: 'gateway',
      prefix: 'GATEWAY',
      contradictions: findContradictions,
    }),
  );
  const file = environment['GATEWAY_CONFIG'] || environment['CONFIG'];
  const settings = collect(() => (file ? readSettings(file, environment) : {}));
  const isCacheHomeless =
    config && !config.CACHE_REDIS_URL && settings?.responseCache && !settings.responseCache.redisUrl;
  if (config && settings) problems.push(...issuerProblems({ ...config, settings }));
  if (isCacheHomeless) problems.push('responseCache: it needs redisUrl, or the environment CACHE_REDIS_URL.');
  if (!config || !settings || problems.length > 0)
    throw new ConfigError((config && file) ?? 'gateway', problems);
  return Object.freeze({ ...config, settings, environment });
}

type Environmental = z.output<typeof configSchema>;

function findContradictions(config: Environmental): readonly string[] {
  const tokenVariables = ['TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'TOKEN_JWKS_URL'] as const;
  const absent = tokenVariables.filter((name) => config[name] === undefined);
  if (absent.length === 0 || absent.length === tokenVariables.length) return [];
  return absent.map((name) => `${name} is required where one of ${tokenVariables.join(', ')} is given.`);
}

const KEY_MEMBERS = ['kid', 'x', 'y', 'd'] as const;

function parsePrivateKey(text: string): JWK | undefined {
  try {
    const key = JSON.parse(text) as JWK; // its members are checked in the next line
    const complete = KEY_MEMBERS.every((name) => typeof key[name] === 'string');
    return complete && key.kty === 'EC' && key.crv === 'P-256' ? key : undefined;
  } catch {
    return undefined;
  }
}
