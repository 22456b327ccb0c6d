import { runTick, type SharedOperation } from '../pipeline/stream-runs.ts';
import { StreamedResult } from '../pipeline/result-stream.ts';
import { writeResult } from '../pipeline/respond.ts';
import type { TopicEmitter, TopicSource } from './topic.ts';
import type { SettingsInForce } from '../settings/settings.ts';

/** Results of a query that is resolved again and again; unchanged ones are not sent. */
export class LiveQuerySource implements TopicSource {
  readonly #shared: SharedOperation;
  readonly #pace: LiveQueryPace;
  #lastText = '';
  #isResolving = false;

  constructor(shared: SharedOperation, pace: LiveQueryPace) {
    this.#shared = shared;
    this.#pace = pace;
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
    const tick = (): void => {
      if (!this.#isResolving) emitter.result(this.#resolve(closing.signal)); // a slow resolution is not overtaken
    };
    const timer = setInterval(tick, this.#pace.intervalMs);
    tick();
    return () => {
      clearInterval(timer);
      closing.abort();
    };
  }

  async #resolve(closing: AbortSignal): Promise<StreamedResult | undefined> {
    this.#isResolving = true;
    try {
      const isCounted = this.#lastText === ''; // the first was counted with the request
      const ticked = await runTick(this.#shared, isCounted, closing);
      const text = ticked && writeResult(ticked.response);
      if (closing.aborted || text === undefined || text === this.#lastText) return undefined;
      this.#lastText = text;
      return new StreamedResult(text);
    } finally {
      this.#isResolving = false;
    }
  }
}

/** How often a live query is resolved. */
interface LiveQueryPace {
  /** From the beginning of one resolution to that of the next. */
  readonly intervalMs: number;
  /** For which one resolution may take. */
  readonly deadlineMs: number;
}

/** The operator's settings that bound a pace. */
type PaceSettings = Pick<SettingsInForce, 'live' | 'timeouts'>;

/** @param throttleMs what the query asks for; without it the operator's interval holds. Both within the operator's bounds. */
export function liveQueryPace(throttleMs: number | undefined, settings: PaceSettings): LiveQueryPace {
  const { live, timeouts } = settings;
  const wishedMs = throttleMs ?? live.intervalMs;
  const intervalMs = Math.min(live.maxIntervalMs, Math.max(live.minIntervalMs, wishedMs));
  return { intervalMs, deadlineMs: timeouts.requestMs };
}
