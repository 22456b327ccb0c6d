import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cpuTimeOf, latencyBudgetMs } from './latency-budget.ts';

describe('Latency budget', () => {
  it('is at least what a quiet machine needs, and finite', () => {
    const budgetMs = latencyBudgetMs(100);
    expect(budgetMs).toBeGreaterThanOrEqual(100);
    expect(budgetMs).toBeLessThan(100_000);
  });

  it('counts work, not waiting', async () => {
    const waitingMs = await cpuTimeOf(() => sleep(300));
    const workingMs = await cpuTimeOf(() => {
      const until = process.cpuUsage().user + 100_000;
      while (process.cpuUsage().user < until);
    });
    expect(workingMs).toBeGreaterThanOrEqual(100);
    expect(waitingMs).toBeLessThan(workingMs + 100);
  });
});
