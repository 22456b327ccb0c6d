import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gateway } from '@trellis/gateway';
import { createLogger, createMetrics } from '@trellis/runtime';
import { startVersions, type Nulls, type VersionServer } from '@trellis/testkit/version-server';
import type { ChangePair, Schemas } from '../change-pairs/change-pair.ts';
import { serveSchemas } from '../served-pair.ts';
import type { ServedGraph } from '../../src/supergraph/served-graph.ts';
import { withTypeNames, type Received } from './client-experience.ts';
import { subscribeAll, type FirstEvent } from './subscribe-client.ts';
import type { TestIssuer } from './test-issuer.ts';

/** One of both versions. */
export type Version = 'before' | 'after';

/** A pair of graphs that runs: a gateway for each, and every subgraph, of which either version may be running. */
export interface PairInVersions {
  readonly graphs: Readonly<Record<Version, ServedGraph>>;
  /** Every subgraph runs in this version from now on. */
  run(version: Version, nulls: Nulls): void;
  /** Sends an operation to the gateway of a graph; a subscription for two users. */
  send(graph: Version, document: string, caller?: Caller, variables?: object): Promise<Received>;
  close(): Promise<void>;
}

/** A user with a token, and another one with equal rights. */
export interface Caller {
  readonly token: string;
  readonly other: string;
}

interface RunningGateway {
  readonly url: string;
  close(): Promise<void>;
}

const REQUEST_DEADLINE_MS = 30_000;

/** Starts both sides of a change. */
export async function startPair(pair: ChangePair, issuer: TestIssuer): Promise<PairInVersions> {
  const folder = mkdtempSync(join(tmpdir(), 'observed-change-'));
  const names = [...new Set([...Object.keys(pair.before), ...Object.keys(pair.after)])];
  const servers = new Map<string, VersionServer>();
  for (const name of names) servers.set(name, await startVersions(pair.before[name], pair.after[name]));
  for (const name of Object.keys(pair.urls?.after ?? {}))
    servers.set(`elsewhere ${name}`, await startVersions(pair.before[name], pair.after[name]));
  const graphs = {
    before: serve(folder, 'before', pair, servers),
    after: serve(folder, 'after', pair, servers),
  };
  const environment = environmentFor(pair, issuer);
  const gateways: Record<Version, RunningGateway> = {
    before: await startGateway(folder, 'before', graphs.before, environment),
    after: await startGateway(folder, 'after', graphs.after, environment),
  };
  const all = [...servers.values()];
  return {
    graphs,
    run: (version, nulls) => {
      for (const server of all) server.run(version, nulls);
    },
    send: (graph, document, caller, variables) => {
      const send = document.startsWith('subscription') ? subscribeCounted : sendCounted;
      return send(
        `${gateways[graph].url}/graphql`,
        servers,
        { query: withTypeNames(document), variables },
        caller,
      );
    },
    close: async () => {
      await Promise.all([gateways.before, gateways.after, ...all].map((one) => one.close()));
      rmSync(folder, { recursive: true });
    },
  };
}

/** Composes a side with the addresses that its subgraphs run at. */
function serve(
  folder: string,
  version: Version,
  { before, after, urls, settings }: ChangePair,
  servers: ReadonlyMap<string, VersionServer>,
): ServedGraph {
  const schemas: Schemas = version === 'before' ? before : after;
  const moved = urls?.[version] ?? {};
  const addresses = Object.keys(schemas).map((name) => {
    const isElsewhere = version === 'after' && moved[name] !== undefined;
    return [name, servers.get(isElsewhere ? `elsewhere ${name}` : name)?.url ?? ''] as const;
  });
  const file = join(folder, `${version}.yaml`);
  writeFileSync(file, settings?.[version] ?? '{}');
  return serveSchemas(schemas, Object.fromEntries(addresses), file);
}

/** Streams of users are one anyway where a subgraph does not learn who they are. */
function environmentFor({ used = '' }: ChangePair, issuer: TestIssuer): Environment {
  const isOfUsers = used.startsWith('subscription');
  return { ...issuer.environment, ...(isOfUsers && issuer.contextEnvironment) };
}

type Environment = Readonly<Record<string, string>>;

async function startGateway(
  folder: string,
  version: Version,
  { comparable }: ServedGraph,
  environment: Environment,
): Promise<RunningGateway> {
  const file = join(folder, `${version}.graphql`);
  writeFileSync(file, comparable.supergraph.sdl);
  const config = gateway.readConfig({
    PORT: '0',
    SUPERGRAPH: file,
    CONFIG: join(folder, `${version}.yaml`),
    ...environment,
  });
  const destination = { write: (): void => undefined };
  const logger = createLogger({ service: 'gateway', level: 'error', destination });
  return gateway.start(config, { logger, metrics: createMetrics('gateway') });
}

type Servers = ReadonlyMap<string, VersionServer>;

async function sendCounted(
  url: string,
  servers: Servers,
  body: object,
  caller: Caller | undefined,
): Promise<Received> {
  const asked = counting(servers);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(caller && { authorization: `Bearer ${caller.token}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_DEADLINE_MS),
  });
  const result = (await response.json()) as FirstEvent; // a response has its members
  return received(result, response.headers.get('cache-control') ?? '', asked());
}

/** Two users at once: what one of them got, and whether one stream served both. */
async function subscribeCounted(
  url: string,
  servers: Servers,
  body: object,
  caller: Caller | undefined,
): Promise<Received> {
  const asked = counting(servers);
  const events = await subscribeAll(url, body, [caller?.token, caller?.other]);
  await untilClosed(servers);
  const streams = asked();
  const result = events.find(({ errors }) => errors) ?? events[0] ?? {};
  const opened = Object.values(streams).reduce((sum, count) => sum + count, 0);
  return { ...received(result, '', streams), isShared: !result.errors && opened < events.length };
}

/** A stream that the next subscription could join is not left open. */
async function untilClosed(servers: Servers): Promise<void> {
  const deadline = AbortSignal.timeout(REQUEST_DEADLINE_MS);
  while ([...servers.values()].some((server) => server.streams() > 0))
    await wait(5, undefined, { signal: deadline });
}

/** Begins to count requests. @returns how many each subgraph has had since */
function counting(servers: Servers): () => Readonly<Record<string, number>> {
  const earlier = new Map([...servers].map(([name, server]) => [name, server.requests()]));
  return () =>
    Object.fromEntries(
      [...servers].map(([name, server]) => [name, server.requests() - (earlier.get(name) ?? 0)]),
    );
}

function received(
  { data, errors = [] }: FirstEvent,
  cacheControl: string,
  asked: Readonly<Record<string, number>>,
): Received {
  const texts = errors.map(({ message, extensions }) => `${extensions?.code ?? ''}: ${message}`);
  return { data, errors: texts, cacheControl, asked };
}
