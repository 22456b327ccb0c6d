export {
  compareCaches,
  formatHitRatios,
  type CacheComparison,
  type HitRatios,
} from './caches/compare-caches.ts';
export { formatBenchmark } from './report.ts';
export { runBenchmark, type BenchmarkOptions, type BenchmarkResult } from './run-benchmark.ts';
export { runPairedBenchmark, type PairedBenchmarkOptions } from './paired/run-paired-benchmark.ts';
export {
  runPairedAuthBenchmark,
  type PairedAuthBenchmarkOptions,
} from './paired/run-paired-auth-benchmark.ts';
export { formatComparisons, type ComparedWork } from './paired/comparison-table.ts';
export {
  formatAuthRows,
  runAuthBenchmark,
  type AuthBenchmarkOptions,
  type AuthRow,
} from './auth/run-auth-benchmark.ts';
export {
  measureSubscribers,
  type SubscriberCost,
  type SubscriberLoad,
} from './subscribers/measure-subscribers.ts';
export { formatSubscribers } from './subscribers/subscribers-table.ts';
