import { join } from 'node:path';
import { createLogger, createMetrics, type Metrics } from '@trellis/runtime';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readGatewayConfig } from '../config/config.ts';
import { settingsInUse } from '../config/settings-in-use.ts';
import { createGraphMetrics } from '../observability/graph-metrics.ts';
import { createRegistryMetrics } from '../observability/registry-metrics.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { canaryOf, PublishedGraph } from '../testing/published-graph.ts';
import type { TrialEvent } from '../variants/canary-trial.ts';
import { NO_PREVIEW_TOKENS } from '../variants/preview-tokens.ts';
import type { RegistryTo, SupergraphParts } from './locate-registry.ts';
import { openRegistryAt, type OpenRegistry } from './open-registry.ts';

const subgraph = (field: string): { name: string; url: string; typeDefs: ReturnType<typeof gql> } => ({
  name: 'numbers',
  url: 'http://numbers.test/graphql',
  typeDefs: gql`type Query { one: Int ${field} }`,
});

let graph: PublishedGraph;
let metrics: Metrics;
let retired: Supergraph[];
let parts: SupergraphParts;
const opened: OpenRegistry[] = [];

beforeEach(async () => {
  graph = await PublishedGraph.create();
  await graph.publish([subgraph('two: Int')]);
  await startCanary();
  metrics = createMetrics('gateway');
  retired = [];
  const config = readGatewayConfig({
    SUPERGRAPH: 'supergraph.graphql',
    TRELLIS_SIGNING_KEY: graph.signingKey,
  });
  const inUse = settingsInUse(config);
  parts = {
    config,
    inUse: () => ({ ...inUse, registry: { ...inUse.registry, pollMs: 3_600_000 } }),
    logger: createLogger({ service: 'gateway', level: 'fatal' }),
    metrics: createGraphMetrics(metrics),
    registryMetrics: createRegistryMetrics(metrics),
    operationCacheOf: () => ({}) as never, // nothing is sent
    prepare: () => () => undefined,
    openWarmUp: () => async () => undefined,
    retire: (generation) => void retired.push(generation),
  };
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close('end')));
  graph.close();
});

/** A record that starts a canary, or starts it again. */
async function startCanary(): Promise<void> {
  const release = await graph.release([subgraph('three: Int')]);
  await graph.append({ variants: [canaryOf(release, 5)], action: 'canary' });
}

/** Opens it as a reload does, with another folder each time. */
async function open(before?: OpenRegistry): Promise<OpenRegistry> {
  const to: RegistryTo = {
    source: graph.folder,
    graph: 'library@production',
    contract: undefined,
    trust: JSON.stringify({ keys: graph.trust.keys }),
    directory: join(graph.cacheDirectory, String(opened.length)),
  };
  const { signal } = new AbortController();
  const registry = await openRegistryAt({ to, previews: NO_PREVIEW_TOKENS, before, signal }, parts);
  opened.push(registry);
  return registry;
}

async function openFirst(): Promise<OpenRegistry> {
  const first = await open();
  first.begin(undefined);
  return first;
}

const names = ({ followed }: OpenRegistry): readonly string[] =>
  followed.served.variants.map(({ name }) => name);

/** As when its trial finds it worse. */
function stop({ followed }: OpenRegistry): void {
  const [canary] = followed.served.variants;
  if (!canary || !followed.stopVariant(canary)) throw new Error('There is a canary.');
}

/** What more callers of the canary have met than chance explains. */
function findWorse({ canaries, followed }: OpenRegistry): void {
  const trial = canaries?.routing.active?.trial;
  const [canary] = followed.served.variants;
  if (!trial || !canary) throw new Error('There is a canary.');
  const events = Array.from({ length: 60 }, (_, caller): TrialEvent => ['failed', 'canary', caller, 1]);
  trial.take(canary, events);
}

describe('A canary', () => {
  it('that stops while a reload opens the same log elsewhere is stopped there, too', async () => {
    const first = await openFirst();
    const next = await open(first);
    const canary = next.followed.served.variants[0]?.supergraph;
    stop(first);
    next.begin(first);
    expect([names(next), next.canaries?.routing.active]).toEqual([[], undefined]);
    expect(next.followed.stops).toEqual(first.followed.stops);
    expect(retired).toEqual([canary]);
  });

  it('that a record started again while a reload was being prepared is not stopped by what was before', async () => {
    const first = await openFirst();
    await startCanary();
    const next = await open(first);
    stop(first); // it has not read the record
    next.begin(first);
    expect(names(next)).toEqual(['canary']);
  });

  it.each([
    ['replaced', 'abort'],
    ['end', 'canary'],
  ] as const)(
    'that has just stopped when its registry is closed (%s): the newest record is %s',
    async (why, action) => {
      const first = await openFirst();
      const closed = new Promise<void>((resolve) => {
        vi.spyOn(parts.logger, 'error').mockImplementation(() =>
          queueMicrotask(() => resolve(first.close(why))),
        );
      });
      findWorse(first);
      await closed;
      expect((await graph.head())?.record.action).toBe(action);
    },
  );

  it('has figures after a reload that follows it elsewhere', async () => {
    const first = await openFirst();
    const next = await open(first);
    next.begin(first);
    await first.close('replaced');
    expect(await metrics.metrics()).toMatch(
      /trellis_gateway_canary_share\{[^}]*variant="canary"[^}]*\} 0\.05/,
    );
  });
});
