import {
  allowsConveniences,
  flag,
  nodeEnvironment,
  type NodeEnvironment,
  port,
  type ProcessConfig,
  processVariables,
  url,
} from '@trellis/runtime';
import { z } from 'zod';

/** The configuration that every subgraph has. */
export interface SubgraphConfig extends ProcessConfig {
  readonly NODE_ENV?: NodeEnvironment | undefined;
  readonly PORT: number;
  readonly HOST: string;
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_SIZE: number;
  readonly USER_CONTEXT_JWKS?: string | undefined;
  readonly USER_CONTEXT_JWKS_URL?: string | undefined;
  readonly DEMO_DATA: boolean;
  readonly REDIS_URL?: string | undefined;
  readonly RESPONSE_CACHE_REDIS_URL?: string | undefined;
  readonly SERVICE_PRIVATE_KEY?: string | undefined;
  readonly SERVICE_JWKS?: string | undefined;
}

/** The variables of {@link SubgraphConfig} as a schema's shape. */
export type SubgraphShape = { readonly [Name in keyof SubgraphConfig]-?: z.ZodType<SubgraphConfig[Name]> };

/** The variables that every subgraph has, to be spread into its schema. */
export function subgraphVariables(defaultPort: number): SubgraphShape {
  return {
    NODE_ENV: nodeEnvironment().describe(
      'development, test or production. Production hides the schema and refuses demo data. Absent: production, unless HOST is a loopback address.',
    ),
    PORT: port(defaultPort).describe('Port of the subgraph; 0 takes any free one.'),
    HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
    DATABASE_URL: url('postgres', 'postgresql').describe(
      'The PostgreSQL database; the service owns one schema in it.',
    ),
    DATABASE_POOL_SIZE: z.coerce
      .number({ error: 'must be a whole number from 1 to 100' })
      .int({ error: 'must be a whole number from 1 to 100' })
      .min(1, { error: 'must be a whole number from 1 to 100' })
      .max(100, { error: 'must be a whole number from 1 to 100' })
      .default(10)
      .describe('Most connections to the database.'),
    USER_CONTEXT_JWKS: z
      .string()
      .refine(isJwks, { error: 'must be a JSON Web Key Set' })
      .optional()
      .describe('Public keys of the gateway, a JSON Web Key Set. Either this or USER_CONTEXT_JWKS_URL.'),
    USER_CONTEXT_JWKS_URL: url('http', 'https')
      .optional()
      .describe('Where the gateway publishes its keys: …/.well-known/user-context-jwks.json.'),
    DEMO_DATA: flag(false).describe(
      'Fills an empty table with demo data. Only where HOST is a loopback address and NODE_ENV is not production.',
    ),
    REDIS_URL: url('redis', 'rediss')
      .optional()
      .describe('The Redis whose streams carry events. Without it events wait in the database.'),
    RESPONSE_CACHE_REDIS_URL: url('redis', 'rediss')
      .optional()
      .describe(
        'The Redis in which gateways cache responses (responseCache in gateway.yaml): changes invalidate entries there. Needs REDIS_URL. Absent: cached responses expire by TTL, or when a gateway has changed something itself.',
      ),
    SERVICE_PRIVATE_KEY: z
      .string()
      .refine(isPrivateKey, { error: 'must be a private JSON Web Key with "kid"' })
      .optional()
      .describe(
        'The key by which the service names itself to other services: a JSON Web Key, "kid" is its name.',
      ),
    SERVICE_JWKS: z
      .string()
      .refine(isJwks, { error: 'must be a JSON Web Key Set' })
      .optional()
      .describe('Public keys of the services that may call this one, a JSON Web Key Set.'),
    ...processVariables,
  };
}

/** What is wrong between the variables of a subgraph, one sentence each. */
export function subgraphContradictions(config: SubgraphConfig): readonly string[] {
  const { USER_CONTEXT_JWKS: inline, USER_CONTEXT_JWKS_URL: remote } = config;
  return [
    ...(inline || remote ? [] : ['USER_CONTEXT_JWKS or USER_CONTEXT_JWKS_URL is required.']),
    ...(inline && remote ? ['USER_CONTEXT_JWKS and USER_CONTEXT_JWKS_URL exclude each other.'] : []),
    ...(config.RESPONSE_CACHE_REDIS_URL && !config.REDIS_URL
      ? ['RESPONSE_CACHE_REDIS_URL needs REDIS_URL: the relay publishes changes.']
      : []),
    ...(config.DEMO_DATA && !allowsConveniences(config) ? [demoDataProblem(config)] : []),
  ];
}

function demoDataProblem({ NODE_ENV: environment }: SubgraphConfig): string {
  return environment === 'production'
    ? 'DEMO_DATA is refused in production.'
    : 'DEMO_DATA is only for a HOST that is a loopback address.';
}

function isJwks(text: string): boolean {
  const parsed = parseObject(text);
  return parsed !== undefined && 'keys' in parsed && Array.isArray(parsed.keys);
}

function isPrivateKey(text: string): boolean {
  const parsed = parseObject(text);
  return parsed !== undefined && 'kid' in parsed && 'd' in parsed;
}

function parseObject(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined; // not JSON: the caller says what was expected
  }
}
