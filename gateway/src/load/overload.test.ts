import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExecutionGate } from './execution-gate.ts';
import { Admission, SustainedOverload } from './admission.ts';

/** What an operation takes of the one processor. */
const SERVICE_MS = 5;
const CAPACITY_PER_SECOND = 1_000 / SERVICE_MS;
const RULES = { maxRequests: 2_000, maxDelayMs: 1_000, targetDelayMs: 10 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

describe('F-20 the door and the gate behind it', () => {
  it('answer as many as ever under three times the load that can be borne, and none late', async () => {
    const normal = await run({ share: 0.7, seconds: 20 });
    const over = await run({ share: 3, seconds: 60 });
    expect(normal.rejected).toBe(0);
    expect(over.answeredPerSecond).toBeGreaterThan(0.9 * CAPACITY_PER_SECOND);
    expect(p99(over.latenciesMs)).toBeLessThanOrEqual(2 * p99(normal.latenciesMs));
  });

  it('reject none of many clients who ask again when they are answered', async () => {
    const house = openHouse();
    const client = async (): Promise<void> => {
      while (performance.now() < 20_000) await house.ask();
    };
    const clients = Promise.all(Array.from({ length: 150 }, client));
    await vi.advanceTimersByTimeAsync(22_000);
    await clients;
    expect(house.rejected()).toBe(0);
    house.close();
  });

  it('reject none of a crowd that comes at once and leaves', async () => {
    const house = openHouse();
    const crowd = Promise.all(Array.from({ length: 150 }, () => house.ask()));
    await vi.advanceTimersByTimeAsync(2_000);
    await crowd;
    expect(house.rejected()).toBe(0);
    house.close();
  });
});

interface Outcome {
  readonly answeredPerSecond: number;
  readonly latenciesMs: readonly number[];
  readonly rejected: number;
}

/** Requests at random times, at a share of what can be borne. */
async function run({ share, seconds }: { share: number; seconds: number }): Promise<Outcome> {
  const house = openHouse();
  const random = createRandom();
  const latenciesMs: number[] = [];
  const end = performance.now() + seconds * 1_000;
  const visit = async (): Promise<void> => {
    const start = performance.now();
    if (await house.ask()) latenciesMs.push(performance.now() - start);
  };
  let asked = 0;
  while (performance.now() < end) {
    const betweenMs = -Math.log(1 - random()) * (SERVICE_MS / share);
    await vi.advanceTimersByTimeAsync(betweenMs);
    asked += 1;
    void visit();
  }
  const answeredPerSecond = latenciesMs.length / seconds;
  await vi.advanceTimersByTimeAsync(2_000);
  house.close();
  return { answeredPerSecond, latenciesMs, rejected: asked - latenciesMs.length };
}

interface House {
  /** @returns whether it was let in and answered */
  ask(): Promise<boolean>;
  rejected(): number;
  close(): void;
}

function openHouse(): House {
  const overload = new SustainedOverload();
  const gate = new ExecutionGate({
    readUtilization: () => 1,
    now: () => performance.now(),
    overload,
  });
  const admission: Admission = new Admission(RULES, {
    queue: gate,
    overload,
  });
  const { signal } = new AbortController();
  let freeAt = 0;
  let rejected = 0;
  const work = (): Promise<void> => {
    freeAt = Math.max(freeAt, performance.now()) + SERVICE_MS;
    return new Promise((resolve) => setTimeout(resolve, freeAt - performance.now()));
  };
  return {
    async ask() {
      if (admission.enter(() => true) !== undefined) {
        rejected += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
        return false;
      }
      try {
        await gate.run(work, signal);
        return true;
      } catch {
        rejected += 1;
        return false;
      } finally {
        admission.leave();
      }
    },
    rejected: () => rejected,
    close: () => admission.close(),
  };
}

function p99(latenciesMs: readonly number[]): number {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

/** The same numbers each time. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
