/** Operations whose latencies are known; further ones are not compared. */
const MAX_OPERATIONS = 2_000;
/** Responses of an operation below which nothing is said of it. */
const MIN_RESPONSES = 200;
/** Of the main generation's responses, those that are not slow. */
const QUANTILE = 0.99;
/** Each bucket is so much wider than the one before: what is slow is known to 10 %. */
const GROWTH = 1.1;
const LOWEST_MS = 0.1;
/** Up to 30 s. */
const BUCKETS = 133;
/** Responses after which all counts of an operation are halved, so that what was long ago says less. */
const HALVED_AT = 20_000;

interface LatencyCounts {
  readonly buckets: Uint32Array;
  total: number;
  /** Milliseconds. Computed now and then. */
  slowFromMs: number;
}

/** Responses after which the limit of an operation is computed again. */
const COMPUTED_EVERY = 50;

/** The 99th percentile of the main generation's responses, by operation. */
export class OperationLatencies {
  readonly #operations = new Map<string, LatencyCounts>();

  /** A response of the main generation. */
  add(operation: string, durationMs: number): void {
    const counts = this.#countsOf(operation);
    if (!counts) return;
    const bucket = bucketOf(durationMs);
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
    counts.total += 1;
    if (counts.total >= HALVED_AT) halve(counts);
    if (counts.total % COMPUTED_EVERY === 0) counts.slowFromMs = quantileOf(counts);
  }

  /** Judges a response by those before it. What is of the main generation is learnt from, after that. @returns whether it is slow */
  observe(operation: string, durationMs: number, isOfMain: boolean): boolean {
    const isSlow = this.isSlow(operation, durationMs);
    if (isOfMain) this.add(operation, durationMs);
    return isSlow;
  }

  /** Whether a response is slower than nearly all of the main generation. */
  isSlow(operation: string, durationMs: number): boolean {
    const counts = this.#operations.get(operation);
    return counts !== undefined && counts.total >= MIN_RESPONSES && durationMs > counts.slowFromMs;
  }

  #countsOf(operation: string): LatencyCounts | undefined {
    let counts = this.#operations.get(operation);
    if (!counts && this.#operations.size < MAX_OPERATIONS) {
      counts = { buckets: new Uint32Array(BUCKETS), total: 0, slowFromMs: Number.POSITIVE_INFINITY };
      this.#operations.set(operation, counts);
    }
    return counts;
  }
}

function bucketOf(durationMs: number): number {
  if (durationMs <= LOWEST_MS) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(durationMs / LOWEST_MS) / Math.log(GROWTH)));
}

/** The upper bound of the bucket that the quantile is in; nothing is slower where that is the last. */
function quantileOf({ buckets, total }: LatencyCounts): number {
  const wanted = QUANTILE * total;
  let counted = 0;
  const index = buckets.findIndex((count) => (counted += count) >= wanted);
  return index < 0 || index === BUCKETS - 1 ? Number.POSITIVE_INFINITY : LOWEST_MS * GROWTH ** index;
}

function halve(counts: LatencyCounts): void {
  let total = 0;
  for (const [index, count] of counts.buckets.entries()) {
    counts.buckets[index] = count >> 1;
    total += count >> 1;
  }
  counts.total = total;
}
