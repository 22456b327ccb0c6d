import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startEmbeddedPostgres, startEmbeddedRedis } from '@trellis/dev-stores';
import type { AuthStores } from './auth-targets.ts';
import { ALGORITHMS } from './seed.ts';

/** Stores that run. */
export interface RunningAuthStores extends AuthStores {
  stop(): Promise<void>;
}

/** Starts PostgreSQL and Redis, empty, in a directory of their own, with a client for each algorithm beside them. */
export async function startAuthStores(): Promise<RunningAuthStores> {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-auth-bench-'));
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    durability: 'none',
  });
  const redis = await startEmbeddedRedis({
    directory: join(directory, 'redis'),
    path: process.env['PATH'] ?? '',
    port: await freePort(),
    password: 'bench',
  });
  return {
    postgresUrl: postgres.connectionString,
    redisUrl: redis.url,
    clientsFile: writeClients(directory),
    stop: async () => {
      await redis.stop();
      await postgres.stop();
      await rm(directory, { recursive: true });
    },
  };
}

function writeClients(directory: string): string {
  const file = join(directory, 'clients.json');
  const clients = ALGORITHMS.map((algorithm) => ({
    client_id: algorithm,
    token_endpoint_auth_method: 'none',
    redirect_uris: ['https://app.example/callback'],
    id_token_signed_response_alg: algorithm,
    first_party: true,
  }));
  writeFileSync(file, JSON.stringify(clients));
  return file;
}
