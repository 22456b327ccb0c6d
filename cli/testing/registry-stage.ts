import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authServer } from '@trellis/auth-server';
import type { TokenCaller, TokenOutcome } from '@trellis/gateway/token-authentication';
import { createPool, migrate, type Pool } from '@trellis/postgres';
import { createRecordSigner, generateRecordKey, registryAuthorization, TrustedKeys } from '@trellis/registry';
import { createLogger, createMetrics, type Deployable, type Logger } from '@trellis/runtime';
import { createTestDatabase, freePort, startTestRedis, type TestDatabase } from '@trellis/testkit';
import { publishCommand, type PublishOptions } from '../src/publish/publish-command.ts';
import { runRegistryAction } from '../src/publish/run-registry-action.ts';
import { createRegistryServer, type RegistryServerOptions } from '../src/registry-server/registry-server.ts';
import { serveRegistry, type RunningRegistry } from '../src/registry-server/serve-registry.ts';
import { linkSchema, type UnlinkedSchema } from './federation-link.ts';

/** What tokens of these tests are for. */
export const AUDIENCE = 'https://registry.example/';
/** Of every client. */
export const SECRET = 'a secret that is long enough to be good';
/** Logs nothing. */
export const silent: Logger = createLogger({ service: 'test', destination: { write: () => undefined } });

const scopes: Readonly<Record<string, string>> = {
  users: 'graph:read graph:publish:users',
  posts: 'graph:read graph:publish:posts',
  operator: 'graph:read graph:publish:* graph:promote:production',
  owner: 'graph:read graph:publish:* graph:promote:*',
  gateway: 'graph:read graph:abort:production',
  reader: 'graph:read',
  bound: 'graph:read',
  stager: 'graph:read graph:publish-in:staging:users',
};

type Action = Parameters<typeof runRegistryAction>[0];

/** The tables of a registry. */
export interface RegistryTables {
  readonly database: TestDatabase;
  readonly pool: Pool;
  close(): Promise<void>;
}

/** Makes the tables of a registry without a server. */
export async function createRegistryTables(): Promise<RegistryTables> {
  const database = await createTestDatabase();
  const { connectionString } = database;
  const directory = new URL('../migrations/', import.meta.url);
  await migrate({ connectionString, schema: 'registry', directory });
  const pool = createPool({ connectionString, schema: 'registry' });
  return { database, pool, close: () => pool.end().then(() => database.drop()) };
}

/** A client as a token says it. */
export function callerOf(clientId: string, granted: readonly string[]): TokenCaller {
  return { clientId, subject: undefined, scopes: new Set(granted), isBound: true };
}

/** A server that takes every request for one of a client; it does not listen yet. */
export async function serverFor(
  pool: Pool,
  granted: readonly string[],
  options: Partial<RegistryServerOptions> & { readonly client?: string } = {},
): Promise<ReturnType<typeof createRegistryServer>> {
  const signer = await createRecordSigner(JSON.stringify(await generateRecordKey()));
  const { client = 'ci', ...others } = options;
  return createRegistryServer({
    pool,
    signer,
    trust: await TrustedKeys.from([signer.publicKey]),
    authenticate: async (): Promise<TokenOutcome> => ({ kind: 'caller', caller: callerOf(client, granted) }),
    logger: silent,
    composers: 'apollo', // tests of what both say ask for both
    ...others,
  });
}

type StageParts = Omit<RegistryStage, 'as' | 'publish' | 'tokenOf' | 'headersOf' | 'askIssuer' | 'close'>;

/** An auth-server, and a registry that takes its tokens. */
export class RegistryStage {
  readonly folder: string;
  readonly issuer: Deployable;
  readonly registry: RunningRegistry;
  readonly pool: Pool;
  /** Of clients. */
  readonly environment: Readonly<Record<string, string>>;
  /** Of servers. */
  readonly serverEnvironment: Readonly<Record<string, string>>;
  readonly #close: () => Promise<void>;

  private constructor(parts: StageParts, close: () => Promise<void>) {
    this.folder = parts.folder;
    this.issuer = parts.issuer;
    this.registry = parts.registry;
    this.pool = parts.pool;
    this.environment = parts.environment;
    this.serverEnvironment = parts.serverEnvironment;
    this.#close = close;
  }

  /** @param variables of the server, beside its usual ones */
  static async start(variables: Readonly<Record<string, string>> = {}): Promise<RegistryStage> {
    const folder = mkdtempSync(join(tmpdir(), 'registry-server-'));
    const [forIssuer, tables, redis] = await Promise.all([
      createTestDatabase(),
      createRegistryTables(),
      startTestRedis(),
    ]);
    const { issuer, url } = await startIssuer(forIssuer.connectionString, redis.url, folder);
    const key = await generateRecordKey();
    const common = {
      TRELLIS_REGISTRY_ISSUER: url,
      TRELLIS_REGISTRY_AUDIENCE: AUDIENCE,
      TRELLIS_REGISTRY_CLIENT_SECRET: SECRET,
    };
    const serverEnvironment = {
      ...common,
      DATABASE_URL: tables.database.connectionString,
      TRELLIS_SIGNING_KEY: JSON.stringify(key),
      TRELLIS_REGISTRY_CLIENT_ID: 'registry',
      ...variables,
    };
    const registry = await serveRegistry({ port: '0' }, serverEnvironment);
    const environment = {
      ...common,
      TRELLIS_REGISTRY: registry.url,
      TRELLIS_GRAPH: 'content@production',
      TRELLIS_REGISTRY_TRUST: JSON.stringify({ keys: [key] }),
    };
    const parts = { folder, issuer, registry, pool: tables.pool, environment, serverEnvironment };
    return new RegistryStage(parts, async () => {
      await registry.close();
      await issuer.close();
      await Promise.all([redis.stop(), tables.close(), forIssuer.drop()]);
      rmSync(folder, { recursive: true });
    });
  }

  /** Runs a command as a client. */
  async as(
    client: string,
    action: unknown,
    options: object = {},
  ): Promise<{ readonly status: number; readonly out: string; readonly error: string }> {
    let [out, error] = ['', ''];
    const env = { ...this.environment, TRELLIS_REGISTRY_CLIENT_ID: client };
    const output = { out: (text: string) => (out += text), error: (text: string) => (error += text) };
    return { status: await runRegistryAction(action as Action, options, env, output), out, error }; // options go with the action
  }

  /** Publishes a subgraph by the command line. */
  publish(
    client: string,
    subgraph: string,
    typeDefs: UnlinkedSchema,
    more: PublishOptions = {},
  ): ReturnType<RegistryStage['as']> {
    const schema = join(this.folder, `${subgraph}.graphql`);
    writeFileSync(schema, linkSchema(typeDefs));
    const routingUrl = `http://${subgraph}.test/`;
    return this.as(client, publishCommand, { subgraph, schema, routingUrl, ...more });
  }

  /** A token that is bound to no key. */
  async tokenOf(client: string): Promise<string> {
    const body = new URLSearchParams({ grant_type: 'client_credentials', resource: AUDIENCE });
    const response = await this.askIssuer(client, 'token', body);
    return ((await response.json()) as { access_token: string }).access_token; // of our own server
  }

  /** Headers of one request by the command line of a client: a token that is bound to a key, and a proof. */
  async headersOf(client: string, method: string, url: string): Promise<Record<string, string>> {
    const variables = { ...this.environment, TRELLIS_REGISTRY_CLIENT_ID: client };
    return { 'content-type': 'application/json', ...(await registryAuthorization(variables)?.(method, url)) };
  }

  /** Posts a form to the issuer as a client. */
  askIssuer(client: string, path: string, body: URLSearchParams): Promise<Response> {
    const authorization = `Basic ${Buffer.from(`${client}:${encodeURIComponent(SECRET)}`).toString('base64')}`;
    const url = `${this.environment['TRELLIS_REGISTRY_ISSUER']}/${path}`;
    return fetch(url, { method: 'POST', headers: { authorization }, body });
  }

  async close(): Promise<void> {
    await this.#close();
  }
}

async function startIssuer(
  connectionString: string,
  redisUrl: string,
  folder: string,
): Promise<{ readonly issuer: Deployable; readonly url: string }> {
  const clients = Object.entries(scopes).map(([client_id, scope]) => ({
    client_id,
    client_secret: SECRET,
    grant_types: ['client_credentials'],
    scope,
    ...(client_id === 'bound' && { dpop_bound_access_tokens: true }),
  }));
  const server = {
    client_id: 'registry',
    client_secret: SECRET,
    grant_types: ['client_credentials'],
    scope: 'graph:read',
    resource_audiences: [AUDIENCE],
  };
  const file = join(folder, 'clients.json');
  writeFileSync(file, JSON.stringify([...clients, server]));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = authServer.readConfig({
    PORT: String(port),
    ISSUER: url,
    AUDIENCES: AUDIENCE,
    API_SCOPES:
      'graph:read graph:publish:* graph:publish-in:staging:* graph:promote:* graph:abort:* usage:write',
    DATABASE_URL: connectionString,
    REDIS_URL: redisUrl,
    CLIENTS_FILE: file,
    KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
  });
  const issuer = await authServer.start(config, { logger: silent, metrics: createMetrics('auth-server') });
  return { issuer, url };
}
