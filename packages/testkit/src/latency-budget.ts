const CONTROL_CPU_MS = 20;

/** CPU milliseconds of this process, all threads. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * CPU time that `work` takes in this process, in milliseconds. What other processes do at the same time is not in it, so
 * it judges an algorithm where wall-clock time would judge the machine.
 */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const startMs = cpuMs();
  await work();
  return cpuMs() - startMs;
}

/**
 * A latency bound for this machine in its present state: `baselineMs` is the bound on a quiet machine, in milliseconds. The
 * control is a loop of a fixed CPU time, run now: where it takes twice as long by the clock because other processes have
 * the processors, so may what was measured.
 */
export function latencyBudgetMs(baselineMs: number): number {
  const startMs = performance.now();
  const startCpuMs = cpuMs();
  while (cpuMs() - startCpuMs < CONTROL_CPU_MS); // busy on purpose
  return baselineMs * Math.max(1, (performance.now() - startMs) / CONTROL_CPU_MS);
}
