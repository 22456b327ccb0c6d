import { createLogger, createMetrics } from '@trellis/runtime';
import { expect, it, vi } from 'vitest';
import { readGatewayConfig } from '../config/config.ts';
import { settingsInUse } from '../config/settings-in-use.ts';
import { createGraphMetrics } from '../observability/graph-metrics.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { openPlanning } from './open-planning.ts';

it('A supergraph that is prepared ends the warm-up of the one before, and none of another follower', async () => {
  const config = readGatewayConfig({ SUPERGRAPH: 'supergraph.graphql' });
  const inUse = settingsInUse(config);
  const current = { services: () => ({}) as never, inUse: () => inUse }; // nothing is planned
  const { planner, knownOperations, openWarmUp } = openPlanning(config, inUse, current, {
    logger: createLogger({ service: 'gateway', level: 'fatal' }),
    metrics: createGraphMetrics(createMetrics('gateway')),
    startPlanner: undefined,
  });
  vi.spyOn(planner, 'load').mockResolvedValue();
  const signals: AbortSignal[] = [];
  vi.spyOn(knownOperations, 'prepare').mockImplementation(async (_next, { signal }) => {
    if (signal) signals.push(signal);
  });
  const [before, after] = [openWarmUp(), openWarmUp()];
  const graph = {} as Supergraph; // only passed on
  const aborted = (): readonly boolean[] => signals.map((signal) => signal.aborted);
  try {
    await after(graph);
    await before(graph);
    expect(aborted()).toEqual([false, false]);
    await after(graph);
    expect(aborted()).toEqual([true, false, false]);
  } finally {
    await planner.close();
  }
});
