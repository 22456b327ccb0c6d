import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  composeSubgraphs,
  orderExampleLink,
  orderExamples,
  proveWindow,
  SupergraphDocument,
  type WindowProof,
  type WindowSide,
} from '@trellis/composition';
import { createLogger, createMetrics } from '@trellis/runtime';
import { createTemporaryDirectory, partOfCommit, proof } from '@trellis/testkit';
import { exampleVariables, startVersions, type VersionServer } from '@trellis/testkit/version-server';
import { gateway } from '../src/app/gateway.ts';
import { OfflineGraph, planRecorded, readOfflineSettings } from '../src/offline/index.ts';

/** The small run takes every seventh change, others at each commit. */
const PARTS = { small: 7, full: 1 } as const;

/** What a check predicts of a deployment, beside what happens to a client of a real gateway with real versions of its subgraphs. */
proof({
  name: 'deployment-orders',
  description:
    'for each change, a check that calls an order of deployment safe is right, with a real gateway, real subgraphs of either version and a real client; at most 5 % are called unsafe without a failure that is seen',
  async run({ size, seed }) {
    const { items: chosen, name } = partOfCommit(orderExamples, PARTS[size], seed);
    const falseSafe: string[] = [];
    const falseUnsafe: string[] = [];
    for (const [title, before, after] of chosen) {
      const { predicted, observed } = await observe(before, after);
      for (const moment of ['publishFirst', 'deployFirst'] as const) {
        if (observed[moment] !== undefined && !predicted[moment])
          falseSafe.push(`${title}, ${moment}: ${observed[moment]}`);
        if (observed[moment] === undefined && predicted[moment]) falseUnsafe.push(`${title}, ${moment}`);
      }
    }
    const share = falseUnsafe.length / (2 * chosen.length);
    return {
      passed: falseSafe.length === 0 && share <= 0.05,
      figures: {
        part: name,
        changes: chosen.length,
        orders: 2 * chosen.length,
        falseSafe: falseSafe.join('; ') || 'none',
        falseUnsafe: falseUnsafe.join('; ') || 'none',
      },
    };
  },
});

type Schemas = Readonly<Record<string, string>>;

/** Of the orders: everything deployed before publishing fails, or everything published before deploying. */
interface Outcome {
  /** Of predictions true, of observations the error. */
  readonly publishFirst: boolean | string | undefined;
  readonly deployFirst: boolean | string | undefined;
}

async function observe(
  before: Schemas,
  after: Schemas,
): Promise<{ readonly predicted: Outcome; readonly observed: Outcome }> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const linked = (schemas: Schemas, name: string): string | undefined =>
    schemas[name] === undefined ? undefined : orderExampleLink + schemas[name];
  const servers = new Map<string, VersionServer>();
  for (const name of names) servers.set(name, await startVersions(linked(before, name), linked(after, name)));
  const sides = [before, after].map((schemas) => readSide(schemas, servers));
  const [former, latter] = sides;
  if (!former || !latter) throw new Error('There are two sides.');
  try {
    const window = await proveWindow(former.side, latter.side, undefined);
    return {
      predicted: predictionOf(window),
      observed: {
        publishFirst: await failureOf(former, servers, 'before', 'after'),
        deployFirst: await failureOf(latter, servers, 'after', 'before'),
      },
    };
  } finally {
    await Promise.all([...servers.values()].map((server) => server.close()));
  }
}

function predictionOf(window: WindowProof | undefined): Outcome {
  const subgraphs = window?.subgraphs ?? [];
  return {
    publishFirst: subgraphs.some(({ publishFirst }) => publishFirst.length > 0),
    deployFirst: subgraphs.some(({ deployFirst }) => deployFirst.length > 0),
  };
}

interface Side {
  readonly side: WindowSide;
  readonly supergraphSdl: string;
  /** The operations that were planned. */
  readonly documents: ReadonlySet<string>;
}

function readSide(schemas: Schemas, servers: ReadonlyMap<string, VersionServer>): Side {
  const composition = composeSubgraphs(
    Object.entries(schemas).map(([name, sdl]) => ({
      name,
      routingUrl: servers.get(name)?.url ?? '',
      sdl: orderExampleLink + sdl,
      source: name,
    })),
  );
  if (composition.kind === 'failed')
    throw new Error(composition.errors.map(({ message }) => message).join('\n'));
  const { supergraphSdl } = composition;
  const graph = new OfflineGraph(supergraphSdl, readOfflineSettings(undefined, {}));
  const documents = new Set<string>();
  const side: WindowSide = {
    supergraph: new SupergraphDocument(supergraphSdl),
    apiSchema: graph.schema,
    subgraphs: new Map(Object.entries(schemas).map(([name, sdl]) => [name, orderExampleLink + sdl])),
    plan: async (operation) => {
      const planned = await planRecorded(graph, operation);
      if (planned.kind === 'planned') documents.add(operation.document);
      return planned;
    },
  };
  return { side, supergraphSdl, documents };
}

/** The first error that a client of one graph gets with the other versions of subgraphs, and not with those of the graph. */
async function failureOf(
  { supergraphSdl, documents, side }: Side,
  servers: ReadonlyMap<string, VersionServer>,
  own: 'before' | 'after',
  other: 'before' | 'after',
): Promise<string | undefined> {
  const directory = createTemporaryDirectory();
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, supergraphSdl);
  const logger = createLogger({
    service: 'gateway',
    level: 'error',
    destination: { write: () => undefined },
  });
  const running = await gateway.start(gateway.readConfig({ PORT: '0', SUPERGRAPH: file }), {
    logger,
    metrics: createMetrics('gateway'),
  });
  try {
    for (const nulls of ['value', 'null'] as const)
      for (const document of documents) {
        const body = { query: document, variables: exampleVariables(document, side.apiSchema) };
        for (const server of servers.values()) server.run(own, nulls);
        const usual = await errorOf(running.url, body);
        for (const server of servers.values()) server.run(other, nulls);
        const found = await errorOf(running.url, body);
        if (found !== undefined && usual === undefined) return `${document}: ${found}`;
      }
    return undefined;
  } finally {
    await running.close();
    directory.remove();
  }
}

async function errorOf(url: string, body: unknown): Promise<string | undefined> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const { errors } = (await response.json()) as { readonly errors?: readonly { readonly message: string }[] };
  return errors?.[0]?.message;
}
