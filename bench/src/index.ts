export { runBenchmark, type BenchmarkOptions } from './run-benchmark.ts';
export { runAuthBenchmark, type AuthBenchmarkOptions } from './auth/run-auth-benchmark.ts';
