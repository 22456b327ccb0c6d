import { runTick, type SharedOperation } from '../pipeline/stream-runs.ts';
import { StreamedResult } from '../pipeline/result-stream.ts';
import { writeResult } from '../pipeline/respond.ts';
import type { TopicEmitter, TopicSource } from './topic.ts';
import type { SettingsInForce } from '../settings/settings.ts';

/** Results of the ticks of a live query; unchanged ones are not sent. */
export class LiveQuerySource implements TopicSource {
  readonly #shared: SharedOperation;
  readonly #intervalMs: () => number;
  #lastText = '';
  #isTicking = false;

  /** @param intervalMs from the beginning of one tick to that of the next, asked before each */
  constructor(shared: SharedOperation, intervalMs: () => number) {
    this.#shared = shared;
    this.#intervalMs = intervalMs;
  }

  /** It reads how things are: there is nothing to miss. */
  isEstablished(): boolean {
    return true;
  }

  isSameAs(): boolean {
    return true;
  }

  start(emitter: TopicEmitter): () => void {
    const closing = new AbortController();
    let timer: NodeJS.Timeout;
    const beginTick = (): void => {
      timer = setTimeout(beginTick, this.#intervalMs());
      if (!this.#isTicking) emitter.result(this.#tick(closing.signal)); // a slow tick is not overtaken
    };
    beginTick();
    return () => {
      clearTimeout(timer);
      closing.abort();
    };
  }

  async #tick(closing: AbortSignal): Promise<StreamedResult | undefined> {
    this.#isTicking = true;
    try {
      const isCounted = this.#lastText === ''; // the first was counted with the request
      const ticked = await runTick(this.#shared, isCounted, closing);
      const text = ticked && writeResult(ticked.response);
      if (closing.aborted || text === undefined || text === this.#lastText) return undefined;
      this.#lastText = text;
      return new StreamedResult(text);
    } finally {
      this.#isTicking = false;
    }
  }
}

/**
 * The interval of a live query's ticks.
 *
 * @param throttleMs what the query asks for; without it the operator's interval holds. Both within the operator's bounds.
 * @returns milliseconds
 */
export function liveQueryIntervalMs(
  throttleMs: number | undefined,
  { live }: Pick<SettingsInForce, 'live'>,
): number {
  const requestedMs = throttleMs ?? live.intervalMs;
  return Math.min(live.maxIntervalMs, Math.max(live.minIntervalMs, requestedMs));
}
