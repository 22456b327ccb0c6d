import { join } from 'node:path';
import { describeEnvironments, makeSecrets, readPlatformConfig } from 'trellis/platform';
import { generateSecrets } from 'trellis/generate-secrets';
import { programs, readGatewayConfig, settingsInUse } from 'trellis/programs';
import { beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { environmentIn, readComposeFile } from './compose-environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** As docs/shares.md has them. */
const OF_THE_GATEWAY = {
  'traffic.concurrency': { requests: 256, queue: 2_048, perCaller: 0.75 },
  'admission.maxRequests': 2_000,
  'admission.perCaller': 0.75,
  'admission.maxDelayMs': 1_000,
  'http.maxConnections': 32_768,
  'http.maxConnectionsPerAddress': 16_384,
  'http.unread': { bytes: 134_217_728, callerBytes: 67_108_864 },
  'http.inFlight': { bytes: 134_217_728, callerBytes: 67_108_864 },
  'subscriptions.maxPerUser': 500,
  'subscriptions.webSocket': {
    maxConnections: 20_000,
    maxConnectionsPerAddress: 10_000,
    maxConnectionsPerUser: 100,
  },
  'live.maxPerUser': 20,
  'planning.callerMs': 20_000,
  'planning.windowS': 60,
  'persistedQueries.perCallerHour': 2_097_152,
};

const OF_THE_AUTH_SERVER = {
  MAX_CONNECTIONS: 16_384,
  REQUESTS_PER_ADDRESS: 1_000,
  ANONYMOUS_STORE_BYTES: 16_777_216,
  PASSWORD_HASH_CONCURRENCY: 2,
  SIGN_IN_FAILURES_PER_ACCOUNT: 10,
  SIGN_IN_FAILURES_PER_ADDRESS: 100,
  SIGN_IN_WINDOW_S: 900,
};

let given: Readonly<
  Record<'docker-compose.yml' | 'npm start', Record<'gateway' | 'auth-server', Environment>>
>;

beforeAll(async () => {
  given = { 'docker-compose.yml': await composeEnvironments(), 'npm start': await ownEnvironments() };
});

/** With what the images set. */
async function composeEnvironments(): Promise<Record<'gateway' | 'auth-server', Environment>> {
  const { services } = await readComposeFile();
  const secrets = await generateSecrets();
  const image = { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '8080' };
  const of = (name: 'gateway' | 'auth-server'): Environment => {
    const service = services[name];
    if (!service) throw new Error(`There is no service ${name}.`);
    return { ...image, ...environmentIn(service, secrets) };
  };
  return {
    gateway: { ...of('gateway'), CONFIG: join(repository, 'graph/gateway.yaml') }, // what is mounted there
    'auth-server': of('auth-server'),
  };
}

async function ownEnvironments(): Promise<Record<'gateway' | 'auth-server', Environment>> {
  const { GATEWAY, AUTH } = describeEnvironments({
    config: readPlatformConfig({}),
    environment: {},
    secrets: await makeSecrets(),
    stores: {
      databaseUrls: { USERS: 'postgres://users', POSTS: 'postgres://posts', AUTH: 'postgres://auth' },
      redisUrl: 'redis://redis',
    },
    ports: { AUTH: 1, USERS: 2, POSTS: 3, COMMENTS: 4, GATEWAY: 5, SEARCH: 6, WEB: 7, DOCS: 8 },
    supergraphFile: join(repository, 'graph/supergraph.graphql'),
  });
  return { gateway: GATEWAY, 'auth-server': AUTH };
}

/** The member that a path leads to. */
function memberAt(path: string, settings: unknown): unknown {
  return path
    .split('.')
    .reduce((value: unknown, name) => (value as Readonly<Record<string, unknown>>)[name], settings); // settings have no arrays on the way
}

describe.each(['docker-compose.yml', 'npm start'] as const)(
  'G9 and H2: with %s, shares are in force',
  (how) => {
    it.each(Object.entries(OF_THE_GATEWAY))('at the gateway: %s', (path, amount) => {
      const settings = settingsInUse(readGatewayConfig(given[how].gateway));
      const inForce = memberAt(path, settings);
      if (typeof amount === 'object') expect(inForce).toMatchObject(amount);
      else expect(inForce).toBe(amount);
    });

    it('at the gateway: for no subgraph apart, and no rate that an honest client could meet', () => {
      const { traffic, rateLimits } = settingsInUse(readGatewayConfig(given[how].gateway));
      expect([traffic.subgraphs, rateLimits]).toEqual([{}, undefined]);
    });

    it('at the auth-server', () => {
      const program = programs.find(({ service }) => service === 'auth-server');
      expect(program?.read(given[how]['auth-server'])).toMatchObject(OF_THE_AUTH_SERVER);
    });
  },
);
