import type { Registry } from 'prom-client';
import type { ResponseCacheObserver } from '../response-cache/response-cache.ts';
import { TalliedCounter } from './tallied-metrics.ts';

/** Registers the series of the response cache. */
export function createResponseCacheMetrics(registry: Registry): ResponseCacheObserver {
  const looked = new TalliedCounter(
    {
      name: 'trellis_gateway_response_cache_total',
      help: 'Response cache lookups by outcome: hit, coalesced, miss, failed (Redis was unavailable).',
      labelNames: ['outcome'],
    },
    registry,
  );
  return { looked: (outcome) => looked.count(outcome) };
}
