import type { OperationResult, PipelineResult } from '../pipeline/operation-result.ts';
import type { UsageRecording } from '../pipeline/services.ts';
import type { RequestContext } from '../request/context.ts';
import { clientSoftwareOf } from '../identity/caller.ts';
import type { CostSettings } from '../settings/cost.ts';
import { GraphReaders, UsageCounts, type UsageBounds } from './usage-counts.ts';
import { recordInterval } from './usage-lines.ts';
import type { UsageQueue } from './usage-queue.ts';

/** Counts operations, and writes what was counted. */
export interface UsageRecorder extends UsageRecording {
  /** Writes the rest. Does not reject. */
  close(): Promise<void>;
}

/** Settings of {@link IntervalRecorder}. */
export interface UsageRecorderOptions extends UsageBounds {
  /** Names the process among all that have ever recorded. */
  readonly process: string;
  /** Milliseconds of an interval. */
  readonly intervalMs: number;
  /** To each sink. */
  readonly queues: readonly UsageQueue[];
  /** Says which variables size lists. */
  readonly cost: () => CostSettings;
}

/** Milliseconds for what is left to be written when the gateway ends, and how much of that for making its texts. */
const [CLOSE_TIMEOUT_MS, TEXTS_TIMEOUT_MS] = [3_000, 1_500];

/**
 * Counts operations, and hands over what was counted in each interval. Intervals begin at multiples of their length by the clock, so
 * that those of several gateways, and of one that was restarted, are the same windows.
 */
export class IntervalRecorder implements UsageRecorder {
  readonly #options: UsageRecorderOptions;
  readonly #readers: GraphReaders;
  #counts: UsageCounts;
  #from = new Date();
  #timer: NodeJS.Timeout;
  #handingOver: Promise<void> = Promise.resolve();
  /** Texts that are not made by then are given up. */
  readonly #hurrying = new AbortController();

  constructor(options: UsageRecorderOptions) {
    this.#options = options;
    this.#readers = new GraphReaders(options.cost);
    this.#counts = this.#begin();
    this.#timer = this.#wait();
  }

  record(context: RequestContext, result: PipelineResult, sinceMs: number): void {
    const { admitted } = firstOf(result);
    if (!admitted) return;
    const nowMs = performance.now();
    this.#counts.count({
      admitted,
      client: clientSoftwareOf(context),
      errorCode: codeOf(result),
      nowMs,
      durationMs: nowMs - sinceMs,
    });
  }

  /** Writes the rest, within three seconds. Does not reject. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const deadline = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    AbortSignal.timeout(TEXTS_TIMEOUT_MS).addEventListener('abort', () => this.#hurrying.abort());
    this.#handOverNext();
    await this.#handingOver;
    await Promise.all(this.#options.queues.map((queue) => queue.close(deadline)));
  }

  #begin(): UsageCounts {
    return new UsageCounts(this.#options, this.#readers);
  }

  #wait(): NodeJS.Timeout {
    const { intervalMs } = this.#options;
    const restMs = intervalMs - (Date.now() % intervalMs);
    return setTimeout(() => {
      this.#handOverNext();
      this.#timer = this.#wait();
    }, restMs).unref();
  }

  #handOverNext(): void {
    const [counts, from, to] = [this.#counts, this.#from, new Date()];
    this.#counts = this.#begin();
    this.#from = to;
    const { queues, process } = this.#options;
    this.#handingOver = this.#handingOver.then(async () => {
      const interval = await recordInterval(counts, { from, to, process }, this.#hurrying.signal);
      for (const queue of queues) queue.add(interval);
    });
  }
}

function firstOf(response: PipelineResult): Pick<OperationResult, 'admitted'> {
  return response.kind === 'parts' ? response.initial : response;
}

function codeOf(response: PipelineResult): string | undefined {
  if (response.kind === 'stream') return undefined;
  const { errors } = response.kind === 'parts' ? response.initial : response;
  const code = errors[0]?.extensions?.['code'];
  return typeof code === 'string' ? code : undefined;
}
