import { Counter, type Registry } from 'prom-client';
import type { ResponseCacheObserver } from '../response-cache/response-cache.ts';

/** Registers the series of the response cache. */
export function createResponseCacheMetrics(registry: Registry): ResponseCacheObserver {
  const looked = new Counter({
    name: 'trellis_gateway_response_cache_total',
    help: 'Queries whose answers may be kept: hit, joined where it waits for somebody who asks the same, miss, or failed where Redis could not be asked.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return { looked: (outcome) => looked.inc({ outcome }) };
}
