export {
  compareCaches,
  formatHitRatios,
  type CacheComparison,
  type HitRatios,
} from './caches/compare-caches.ts';
export { runBenchmark, type BenchmarkOptions } from './run-benchmark.ts';
export { runPairedBenchmark, type PairedBenchmarkOptions } from './paired/run-paired-benchmark.ts';
export {
  runPairedAuthBenchmark,
  type PairedAuthBenchmarkOptions,
} from './paired/run-paired-auth-benchmark.ts';
export { runAuthBenchmark, type AuthBenchmarkOptions } from './auth/run-auth-benchmark.ts';
export {
  measureSubscribers,
  type SubscriberCost,
  type SubscriberLoad,
} from './subscribers/measure-subscribers.ts';
export { formatSubscribers } from './subscribers/subscribers-table.ts';
