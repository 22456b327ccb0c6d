import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateway } from '@trellis/gateway';
import { createLogger, createMetrics } from '@trellis/runtime';
import { startVersions, type Nulls, type VersionServer } from '@trellis/testkit/version-server';
import type { ChangePair, Schemas } from '../change-pairs/change-pair.ts';
import { serveSchemas } from '../served-pair.ts';
import type { ServedGraph } from '../../src/supergraph/served-graph.ts';
import { withTypeNames, type Received } from './client-experience.ts';
import type { TestIssuer } from './test-issuer.ts';

/** One of both versions. */
export type Version = 'before' | 'after';

/** A pair of graphs that runs: a gateway for each, and every subgraph, of which either version may be running. */
export interface PairInVersions {
  readonly graphs: Readonly<Record<Version, ServedGraph>>;
  /** Every subgraph runs in this version from now on. */
  run(version: Version, nulls: Nulls): void;
  /** Sends an operation to the gateway of a graph. */
  send(graph: Version, document: string, token?: string, variables?: object): Promise<Received>;
  close(): Promise<void>;
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
  const gateways: Record<Version, RunningGateway> = {
    before: await startGateway(folder, 'before', graphs.before, issuer),
    after: await startGateway(folder, 'after', graphs.after, issuer),
  };
  const all = [...servers.values()];
  return {
    graphs,
    run: (version, nulls) => {
      for (const server of all) server.run(version, nulls);
    },
    send: (graph, document, token, variables) =>
      sendCounted(gateways[graph].url, servers, { query: withTypeNames(document), variables }, token),
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

async function startGateway(
  folder: string,
  version: Version,
  { comparable }: ServedGraph,
  issuer: TestIssuer,
): Promise<RunningGateway> {
  const file = join(folder, `${version}.graphql`);
  writeFileSync(file, comparable.supergraphSdl);
  const config = gateway.readConfig({
    PORT: '0',
    SUPERGRAPH: file,
    CONFIG: join(folder, `${version}.yaml`),
    ...issuer.environment,
  });
  const destination = { write: (): void => undefined };
  const logger = createLogger({ service: 'gateway', level: 'error', destination });
  return gateway.start(config, { logger, metrics: createMetrics('gateway') });
}

async function sendCounted(
  url: string,
  servers: ReadonlyMap<string, VersionServer>,
  body: object,
  token: string | undefined,
): Promise<Received> {
  const countAll = (): readonly (readonly [string, number])[] =>
    [...servers].map(([name, server]) => [name, server.requests()]);
  const earlier = new Map(countAll());
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_DEADLINE_MS),
  });
  const { data, errors = [] } = (await response.json()) as ResponseBody;
  return {
    data,
    errors: errors.map(({ message, extensions }) => `${extensions?.code ?? ''}: ${message}`),
    cacheControl: response.headers.get('cache-control') ?? '',
    asked: Object.fromEntries(countAll().map(([name, count]) => [name, count - (earlier.get(name) ?? 0)])),
  };
}

interface ResponseBody {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}
