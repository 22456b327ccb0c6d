export { runBenchmark, type BenchmarkOptions } from './run-benchmark.ts';
