/** What a load found. */
export interface LoadReport {
  readonly sent: number;
  /** Why requests were not answered as they should be: the first 20. */
  readonly reasons: readonly string[];
  readonly failed: number;
  /** From when each request was due to its response, sorted. */
  readonly latenciesMs: readonly number[];
}

/** A load that runs. */
export interface Load {
  /** Sends no more, waits for what is in flight, and returns what was found. */
  stop(): Promise<LoadReport>;
}

/** How a load is made. */
export interface LoadOptions {
  readonly perSecond: number;
  /** Sends the request of this number. Rejects when it is not answered as it should be. */
  send(number: number): Promise<void>;
}

const TICK_MS = 1;
const MAX_REASONS = 20;

/**
 * Sends requests at a fixed rate, however long the responses take: what a slow server delays is counted as delayed, and not
 * left out.
 */
export function startLoad({ perSecond, send }: LoadOptions): Load {
  const start = performance.now();
  const reasons: string[] = [];
  const latenciesMs: number[] = [];
  const inFlight = new Set<Promise<void>>();
  let sent = 0;
  let failed = 0;

  const dispatch = async (number: number, dueMs: number): Promise<void> => {
    try {
      await send(number);
    } catch (error) {
      failed += 1;
      if (reasons.length < MAX_REASONS) reasons.push(String(error));
    }
    latenciesMs.push(performance.now() - dueMs);
  };

  const clock = setInterval(() => {
    const due = ((performance.now() - start) / 1_000) * perSecond;
    for (; sent < due; sent += 1) {
      const request = dispatch(sent, start + (sent / perSecond) * 1_000).finally(() =>
        inFlight.delete(request),
      );
      inFlight.add(request);
    }
  }, TICK_MS);

  return {
    async stop() {
      clearInterval(clock);
      await Promise.all(inFlight);
      return { sent, reasons, failed, latenciesMs: latenciesMs.toSorted((left, right) => left - right) };
    },
  };
}

/** The latency that `share` of the requests do not exceed, milliseconds; 0 without requests. */
export function quantile({ latenciesMs }: Pick<LoadReport, 'latenciesMs'>, share: number): number {
  return latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? 0;
}
