import { resolve } from 'node:path';
import type { ConfigOf, Environment } from '@trellis/runtime';
import { readConfig } from '@trellis/runtime/read-config';

/** The environment of the platform in one process: what `npm start` itself reads; every deployable reads its own beside it. */
export const environmentTable = {
  NODE_ENV: {
    type: 'choice',
    choices: ['development', 'test', 'production'],
    optional: true,
    doc: 'development, test or production. production rejects the embedded Redis, demo accounts and generated secrets on loopback addresses, too; elsewhere they are always rejected.',
  },
  DATA_DIR: {
    type: 'text',
    form: 'directory',
    default: '.data',
    doc: 'Where embedded stores and generated secrets are stored.',
  },
  DATABASE_URL: {
    type: 'url',
    schemes: ['postgres', 'postgresql'],
    optional: true,
    sensitive: true,
    doc: 'A PostgreSQL for every service, instead of the embedded one. POSTS_DATABASE_URL and the like name one per service.',
  },
  REDIS_URL: {
    type: 'text',
    form: 'redisUrl',
    optional: true,
    sensitive: true,
    doc: 'A Redis, instead of the embedded one: redis://…, redis+sentinel://… or redis+cluster://….',
  },
  GATEWAY_PORT: {
    type: 'port',
    default: 4000,
    doc: 'Port of the gateway; 0 takes any free one, as for all ports here.',
  },
  AUTH_PORT: { type: 'port', default: 4001, doc: 'Port of the auth-server.' },
  USERS_PORT: { type: 'port', default: 4011, doc: 'Port of the users subgraph.' },
  POSTS_PORT: { type: 'port', default: 4012, doc: 'Port of the posts subgraph.' },
  COMMENTS_PORT: { type: 'port', default: 4013, doc: 'Port of the comments subgraph.' },
  SEARCH_PORT: { type: 'port', default: 4014, doc: 'Port of the search subgraph.' },
  WEB_PORT: {
    type: 'port',
    default: 4020,
    doc: 'Port of the sample application. Where embedded defaults are rejected, it is served only where this is set.',
  },
  DOCS_PORT: {
    type: 'port',
    default: 4030,
    doc: 'Port of the documentation site of a checkout. Where embedded defaults are rejected, it is served only where this is set.',
  },
  PUBLISH_SUBGRAPHS: {
    type: 'choice',
    choices: ['true', 'false'],
    optional: true,
    doc: 'Whether a start publishes the four subgraphs to the registry in DATA_DIR, where it has others. Where this is absent: true where embedded defaults are allowed. Elsewhere TRELLIS_SIGNING_KEY has to sign.',
  },
  OPERATIONS_PORT: {
    type: 'port',
    default: 9464,
    doc: 'Port of GET /metrics for all deployables. With --split each has the next one.',
  },
  LOG_LEVEL: {
    type: 'choice',
    choices: ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'],
    default: 'warn',
    doc: 'What the deployables log.',
  },
} as const;

/** What `npm start` itself reads. */
export type PlatformConfig = ConfigOf<typeof environmentTable>;

/** Where a platform has its data, for commands that may find none there: nothing is checked. @returns absolute */
export function readDataDirectory(environment: Environment): string {
  const { DATA_DIR } = environmentTable;
  return resolve(
    readConfig({ DATA_DIR }, environment, { ...SUBJECT, forms: { directory: () => undefined } }).DATA_DIR,
  );
}

/** Where the auth-server of a platform is by its settings, for commands that do not start it. @throws ConfigError */
export function readAuthPort(environment: Environment): number {
  const { AUTH_PORT } = environmentTable;
  return readConfig({ AUTH_PORT }, environment, SUBJECT).AUTH_PORT;
}

const SUBJECT = { subject: 'the platform' };
