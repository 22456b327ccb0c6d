import {
  isProduction,
  processVariables,
  type ConfigOf,
  type ProcessConfig,
  type Variable,
} from '@trellis/runtime';

const variables = {
  NODE_ENV: {
    type: 'choice',
    choices: ['development', 'test', 'production'],
    optional: true,
    doc: 'development, test or production. Production hides the schema and rejects demo data. Absent: production, unless HOST is a loopback address.',
  },
  HOST: { type: 'text', default: '127.0.0.1', doc: 'Address to listen on.' },
  DATABASE_URL: {
    type: 'url',
    schemes: ['postgres', 'postgresql'],
    sensitive: true,
    doc: 'The PostgreSQL database; the service owns one schema in it.',
  },
  DATABASE_POOL_SIZE: {
    type: 'int',
    min: 1,
    max: 100,
    default: 10,
    unit: 'connections',
    doc: 'Most connections to the database.',
  },
  DATABASE_REPLICA_URL: {
    type: 'url',
    schemes: ['postgres', 'postgresql'],
    optional: true,
    sensitive: true,
    doc: 'A streaming replica of DATABASE_URL, for lists and searches. Where it lags or is unreachable, reads go to the primary. Needs REDIS_URL.',
  },
  DATABASE_REPLICA_MAX_LAG_MS: {
    type: 'int',
    min: 100,
    max: 60_000,
    default: 1_000,
    unit: 'ms',
    doc: 'How old what is read from the replica may be. For as long, who has changed something reads from the primary.',
  },
  USER_CONTEXT_JWKS: {
    type: 'key-set',
    optional: true,
    doc: 'Public keys of the gateway, a JSON Web Key Set. Either this or USER_CONTEXT_JWKS_URL.',
  },
  USER_CONTEXT_JWKS_URL: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'Where the gateway publishes its keys: …/.well-known/user-context-jwks.json.',
  },
  USER_CONTEXT_DEVELOPER_JWKS: {
    type: 'key-set',
    optional: true,
    doc: 'Public keys of developers, whose "trellis dev" may ask this subgraph: a JSON Web Key Set. The holder of such a key may be any user, with USER_CONTEXT_DEVELOPER_SCOPES, without roles and policies. Rejected in production.',
  },
  USER_CONTEXT_DEVELOPER_SCOPES: {
    type: 'list',
    default: [],
    doc: 'Scopes that requests of developers may have, separated by spaces.',
  },
  SCHEMA_SECRET: {
    type: 'secrets',
    optional: true,
    doc: 'Random, 128 bits or more; or several of these, separated by spaces, the newest first. Who sends one in the header trellis-introspection-secret may read the schema in production: { _service { sdl } }. Absent: the schema is hidden there.',
  },
  REDIS_URL: {
    type: 'text',
    form: 'redisUrl',
    optional: true,
    sensitive: true,
    doc: 'The Redis whose streams carry events: redis://…, redis+sentinel://… or redis+cluster://…. Without it events wait in the database.',
  },
  RESPONSE_CACHE_REDIS_URL: {
    type: 'text',
    form: 'redisUrl',
    optional: true,
    sensitive: true,
    doc: 'The Redis in which gateways cache responses (responseCache in gateway.yaml): changes invalidate them. Needs REDIS_URL. Absent: cached responses expire by TTL, or by a change through the gateway itself.',
  },
  SERVICE_PRIVATE_KEY: {
    type: 'private-key',
    optional: true,
    doc: 'The key by which the service names itself to other services: a private JWK (P-256), "kid" is its name.',
  },
  SERVICE_JWKS: {
    type: 'key-set',
    optional: true,
    doc: 'Public keys of the services that may call this one, a JSON Web Key Set.',
  },
} as const;

type PortVariable = Readonly<Record<'PORT', Extract<Variable, { readonly type: 'port' }>>>;

/** The variables that every subgraph has. */
export type SubgraphVariables = PortVariable & typeof variables & typeof processVariables;

/** The configuration that every subgraph has. */
export type SubgraphConfig = ProcessConfig & ConfigOf<typeof variables> & ConfigOf<PortVariable>;

/** The variables that every subgraph has, to be spread into its table. */
export function subgraphVariables(defaultPort: number): SubgraphVariables {
  return {
    PORT: { type: 'port', default: defaultPort, doc: 'Port of the subgraph; 0 takes any free one.' },
    ...variables,
    ...processVariables,
  };
}

/** What is wrong between the variables of a subgraph, one sentence each. */
export function brokenSubgraphRules(config: SubgraphConfig): readonly string[] {
  const { USER_CONTEXT_JWKS: inline, USER_CONTEXT_JWKS_URL: remote } = config;
  return [
    ...(inline || remote ? [] : ['USER_CONTEXT_JWKS or USER_CONTEXT_JWKS_URL is required.']),
    ...(inline && remote ? ['USER_CONTEXT_JWKS and USER_CONTEXT_JWKS_URL exclude each other.'] : []),
    ...(config.USER_CONTEXT_DEVELOPER_JWKS && isProduction(config)
      ? ['USER_CONTEXT_DEVELOPER_JWKS is rejected in production.']
      : []),
    ...(config.RESPONSE_CACHE_REDIS_URL && !config.REDIS_URL
      ? ['RESPONSE_CACHE_REDIS_URL needs REDIS_URL: the relay publishes changes.']
      : []),
    ...(config.DATABASE_REPLICA_URL && !config.REDIS_URL
      ? ['DATABASE_REPLICA_URL needs REDIS_URL: by it processes know who has just changed something.']
      : []),
  ];
}
