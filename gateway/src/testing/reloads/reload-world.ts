import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { exportJWK, generateKeyPair } from 'jose';
import type { RunningGateway } from '../../app/start-gateway.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../token-issuer.ts';
import { startReloadGraph, type ReloadGraph } from './reload-graph.ts';

/** A request that came to the {@link Recorder}. */
export interface RecordedRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server beside the graph: it introspects tokens, and takes traces. */
export interface Recorder {
  readonly url: string;
  readonly received: RecordedRequest[];
  /** How many requests have been open at a time, since it was set to 0. */
  mostOpen: number;
}

/** One gateway over real subgraphs, with all that its settings may name. */
export interface ReloadWorld {
  readonly gateway: TestGateway;
  readonly graph: ReloadGraph;
  readonly issuer: TokenIssuer;
  readonly otherIssuer: TokenIssuer;
  readonly redis: RedisConnection;
  /** Of the Redis that caches may be in. */
  readonly redisUrl: string;
  readonly recorder: Recorder;
  /** A folder with an operation for the explorer. */
  readonly examples: string;
  inside(): Pick<RunningGateway, 'configuration' | 'resources'>;
  /** Sends an operation that is new: its text has a comment of its own. */
  ask(query: string, headers?: Readonly<Record<string, string>>): Promise<GatewayResponse>;
  /** A number that is new. */
  next(): number;
}

/** A token that introspection calls active; any other is not. */
export const ACTIVE_TOKEN = 'opaque-and-active';
const RECORDER_PAUSE_MS = 20;

/** Starts it. @returns with what ends it */
export async function startReloadWorld(): Promise<ReloadWorld & { close(): Promise<void> }> {
  const [server, graph, issuer, otherIssuer] = await Promise.all([
    startTestRedis(),
    startReloadGraph(),
    startTokenIssuer(),
    startTokenIssuer(),
  ]);
  const recorder = await startRecorder(issuer);
  const redis = connectRedis({ url: server.url, name: 'test', onError: () => undefined });
  const gateway = await startTestGateway({
    subgraphs: graph.all,
    settings: '{}',
    environment: {
      CACHE_REDIS_URL: server.url,
      USER_CONTEXT_PRIVATE_KEY: await contextKey(),
      NODE_ENV: 'development',
    },
  });
  for (const [name, text] of MANIFESTS)
    writeFileSync(join(gateway.directory, name), JSON.stringify({ [`id-of-${name}`]: text }));
  mkdirSync(join(gateway.directory, 'lists'));
  writeFileSync(join(gateway.directory, 'lists/listed.operations.json'), JSON.stringify(LIST));
  const examples = join(gateway.directory, 'examples');
  mkdirSync(examples);
  writeFileSync(join(examples, 'open.graphql'), '# What is open to all\n{ open }\n');
  let last = 0;
  const next = (): number => (last += 1);
  return {
    gateway,
    graph,
    issuer,
    otherIssuer,
    redis,
    redisUrl: server.url,
    recorder,
    examples,
    inside: () => gateway.inside(),
    ask: (query, headers) => gateway.post({ query: `${query} # ${next()}` }, headers),
    next,
    close: () => closeWorld({ gateway, graph, issuer, otherIssuer, redis, server, recorder }),
  };
}

/** Safelists in the folder of gateway.yaml, each with one operation. */
export const MANIFESTS = [
  ['open.json', '{ open }'],
  ['long.json', '{ long }'],
] as const;

/** A published list of the client `listed`. */
const LIST = {
  format: 'apollo-persisted-query-manifest',
  version: 1,
  trellis: { list: 1, client: 'listed', published: '2026-01-01T00:00:00Z' },
  operations: [{ id: 'long', body: '{ long }' }],
};

async function contextKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'context-1' });
}

interface Parts extends Pick<
  ReloadWorld,
  'gateway' | 'graph' | 'issuer' | 'otherIssuer' | 'redis' | 'recorder'
> {
  readonly recorder: Recorder & { close(): void };
  readonly server: TestRedis;
}

async function closeWorld(parts: Parts): Promise<void> {
  await parts.gateway.close();
  parts.redis.disconnect();
  parts.recorder.close();
  await Promise.all([
    parts.graph.close(),
    parts.issuer.close(),
    parts.otherIssuer.close(),
    parts.server.stop(),
  ]);
}

async function startRecorder({ issuer }: TokenIssuer): Promise<Recorder & { close(): void }> {
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    recorder.mostOpen = Math.max(recorder.mostOpen, open);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('latin1');
      recorder.received.push({ url: request.url ?? '', headers: request.headers, body });
      const nowS = Math.floor(Date.now() / 1_000);
      const active = body.includes(ACTIVE_TOKEN);
      const claims = { iss: issuer, aud: 'graph', sub: 'ada', client_id: 'web', iat: nowS, exp: nowS + 600 };
      setTimeout(() => {
        open -= 1;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ active, ...(active && { ...claims, token_type: 'Bearer' }) }));
      }, RECORDER_PAUSE_MS);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const recorder: Recorder & { close(): void } = {
    url: `http://127.0.0.1:${port}`,
    received: [],
    mostOpen: 0,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return recorder;
}
