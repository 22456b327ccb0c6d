import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { HttpStore, RegistryError, registryAuthorization, type RegistryStore } from '@trellis/registry';
import { createTestDatabase, freePorts, startTestRedis } from '@trellis/testkit';
import { inheritedEnvironment, root, startProgram } from '../../harness/running-program.ts';
import { log } from './published-log.ts';
import type { PublishersOutcome } from './killed-publishers.ts';

const AUDIENCE = 'https://registry.example/';
const SECRET = 'a secret that is long enough to be good';
const SERVERS = 2;
const KILL_EVERY_MS = 5_000;
const START_DEADLINE_MS = 60_000;

/** Who publishes through servers, and for how long. */
export interface ServedPublishers {
  readonly directory: string;
  readonly key: string;
  readonly count: number;
  readonly subgraphs: number;
  readonly forMs: number;
}

/** What they did, and where it can be read. */
export interface ServedOutcome extends Omit<PublishersOutcome, 'locks'> {
  readonly store: RegistryStore;
  close(): Promise<void>;
}

/** Publishers that send to two registries over one database, whose processes are killed at random moments and started again. */
export async function runKilledServers(options: ServedPublishers): Promise<ServedOutcome> {
  const [issuerDatabase, database, redis] = await Promise.all([
    createTestDatabase(),
    createTestDatabase(),
    startTestRedis(),
  ]);
  const [issuerPort = 0, operationsPort = 0, ...ports] = await freePorts(2 + SERVERS);
  const issuer = `http://127.0.0.1:${issuerPort}`;
  const clients = join(options.directory, 'clients.json');
  const scope = 'graph:read graph:publish:*';
  const registry = { ...clientOf('registry', scope), resource_audiences: [AUDIENCE] };
  writeFileSync(clients, JSON.stringify([clientOf('publisher', scope), registry]));
  const authServer = startProgram('auth-server', {
    environment: {
      PORT: String(issuerPort),
      OPERATIONS_PORT: String(operationsPort),
      ISSUER: issuer,
      AUDIENCES: AUDIENCE,
      API_SCOPES: scope,
      CLIENTS_FILE: clients,
      DATABASE_URL: issuerDatabase.connectionString,
      REDIS_URL: redis.url,
      KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
      COOKIE_SECRET: randomBytes(32).toString('base64url'),
    },
  });
  await untilIssued(issuer);
  const environment = {
    DATABASE_URL: database.connectionString,
    TRELLIS_SIGNING_KEY: options.key,
    TRELLIS_REGISTRY_ISSUER: issuer,
    TRELLIS_REGISTRY_AUDIENCE: AUDIENCE,
    TRELLIS_REGISTRY_CLIENT_ID: 'registry',
    TRELLIS_REGISTRY_CLIENT_SECRET: SECRET,
  };
  const servers = await Promise.all(ports.map((port) => startServer(port, environment)));
  const stores = ports.map(
    (port) =>
      new HttpStore(`http://127.0.0.1:${port}`, {
        authorize: registryAuthorization({ ...environment, TRELLIS_REGISTRY_CLIENT_ID: 'publisher' }),
      }),
  );
  const acknowledged = new Map<number, string>();
  const failures = new Map<string, number>();
  const end = Date.now() + options.forMs;
  const publishers = Array.from({ length: options.count }, async (_, index) => {
    for (let version = 1; Date.now() < end; version += 1) {
      const store = stores[(index + version) % stores.length];
      if (store)
        await publishOnce(store, `s${index % options.subgraphs}`, `p${index}_${version}`, {
          acknowledged,
          failures,
        });
    }
  });
  let kills = 0;
  while (Date.now() < end) {
    await wait(Math.random() * 2 * KILL_EVERY_MS);
    const index = Math.floor(Math.random() * servers.length);
    await killed(servers[index]);
    kills += 1;
    servers[index] = await startServer(ports[index] ?? 0, environment);
  }
  await Promise.all(publishers);
  const [store] = stores;
  if (!store) throw new Error('no server');
  return {
    kills,
    failures,
    acknowledged,
    store,
    close: async () => {
      await Promise.all(servers.map(killed));
      await authServer.stop();
      await redis.stop();
      await Promise.all([issuerDatabase.drop(), database.drop()]);
    },
  };
}

function clientOf(client_id: string, scope: string): object {
  return { client_id, scope, client_secret: SECRET, grant_types: ['client_credentials'] };
}

async function publishOnce(
  store: HttpStore,
  subgraph: string,
  field: string,
  { acknowledged, failures }: { acknowledged: Map<number, string>; failures: Map<string, number> },
): Promise<void> {
  // Fields of others of the same subgraph go: only what it has always had may be relied upon.
  const sdl = `type Query { ${subgraph}: Int @deprecated(reason: "${field}") }`;
  const set = [{ name: subgraph, sdl, source: `${subgraph}.graphql`, routingUrl: `http://${subgraph}/` }];
  try {
    const sent = await store.submit(
      log,
      'publications',
      { set, remove: [], isWhole: false },
      AbortSignal.timeout(60_000),
    );
    const { document } = sent as {
      readonly document: { readonly outcome: string; readonly record?: { sequence: number; id: string } };
    };
    const { record } = document;
    if (document.outcome === 'published' && record) acknowledged.set(record.sequence, record.id);
    else failures.set(document.outcome, (failures.get(document.outcome) ?? 0) + 1);
  } catch (error) {
    const code = error instanceof RegistryError ? error.code : 'other';
    failures.set(code, (failures.get(code) ?? 0) + 1);
    await wait(200);
  }
}

async function startServer(
  port: number,
  environment: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const args = [
    '--import',
    'tsx',
    '--conditions=trellis-source',
    'cli/src/main.ts',
    'registry',
    'serve',
    '--port',
    String(port),
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('The registry listens')) resolve();
    });
  });
  await Promise.race([ready, wait(START_DEADLINE_MS)]);
  return child;
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Until tokens can be asked for. They are bound to keys of those who ask for them: each store asks for its own. */
async function untilIssued(issuer: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const response = await fetch(`${issuer}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    if (response?.ok) return;
    await wait(200);
  }
  throw new Error('The auth-server does not respond.');
}
