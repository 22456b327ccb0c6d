import type { OperationResult, PipelineResult } from '../pipeline/operation-result.ts';
import type { UsageRecording } from '../pipeline/services.ts';
import type { RequestContext } from '../request/context.ts';
import { clientSoftwareOf } from '../identity/caller.ts';
import type { CostSettings } from '../settings/cost.ts';
import { GraphReaders, UsageCounts, type UsageBounds } from './usage-counts.ts';
import { recordInterval } from './usage-lines.ts';
import type { UsageQueue } from './usage-queue.ts';

/** Settings of {@link IntervalRecorder}. */
export interface UsageRecorderOptions {
  /** Names the process among all that have ever recorded. */
  readonly process: string;
  /** Milliseconds of an interval. */
  readonly intervalMs: number;
  /** How much is counted in an interval that begins now. */
  readonly bounds: () => UsageBounds;
  /** To each sink. */
  readonly queues: readonly UsageQueue[];
  /** Says which variables size lists. */
  readonly cost: () => CostSettings;
}

/** Milliseconds for what is left to be written. */
interface ClosingTime {
  readonly wholeMs: number;
  /** How much of that for making its texts. */
  readonly textsMs: number;
}

/** When the gateway ends. */
const AT_THE_END: ClosingTime = { wholeMs: 3_000, textsMs: 1_500 };
/** When a reload records elsewhere: the gateway serves on meanwhile. */
export const AFTER_A_RELOAD: ClosingTime = { wholeMs: 30_000, textsMs: 15_000 };

/**
 * Counts operations, and hands over what was counted in each interval. Intervals begin at multiples of their length by the clock, so
 * that those of several gateways, and of one that was restarted, are the same windows.
 */
export class IntervalRecorder implements UsageRecording {
  readonly #options: UsageRecorderOptions;
  readonly #readers: GraphReaders;
  #counts: UsageCounts;
  #from = new Date();
  #timer: NodeJS.Timeout;
  #handingOver: Promise<void> = Promise.resolve();
  /** Texts that are not made by then are given up. */
  readonly #hurrying = new AbortController();
  /** What is not written by then is lost. */
  readonly #deadline = new AbortController();
  #closed: Promise<void> | undefined;

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

  /** Hands over what was counted until now: other bounds hold from now on. An interval without anything goes on with them. */
  beginInterval(): void {
    if (this.#closed) return;
    if (this.#counts.isEmpty) this.#counts = this.#begin();
    else this.#handOverNext();
  }

  /**
   * Writes the rest. Does not reject.
   *
   * @param time three seconds by default; who closes again with less of it ends it sooner
   */
  close(time: ClosingTime = AT_THE_END): Promise<void> {
    this.stop();
    abortAfter(time.textsMs, this.#hurrying);
    abortAfter(time.wholeMs, this.#deadline);
    return (this.#closed ??= this.#writeRest());
  }

  /** Ends it without a trace: for one that has counted nothing. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async #writeRest(): Promise<void> {
    this.#handOverNext();
    await this.#handingOver;
    await Promise.all(this.#options.queues.map((queue) => queue.close(this.#deadline.signal)));
  }

  #begin(): UsageCounts {
    return new UsageCounts(this.#options.bounds(), this.#readers);
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
    const [counts, from] = [this.#counts, this.#from];
    const to = new Date(Math.max(Date.now(), from.getTime() + 1)); // sinks know an interval by its beginning
    this.#counts = this.#begin();
    this.#from = to;
    const { queues, process } = this.#options;
    this.#handingOver = this.#handingOver.then(async () => {
      const interval = await recordInterval(counts, { from, to, process }, this.#hurrying.signal);
      for (const queue of queues) queue.add(interval);
    });
  }
}

function abortAfter(ms: number, controller: AbortController): void {
  AbortSignal.timeout(ms).addEventListener('abort', () => controller.abort(), { once: true });
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
