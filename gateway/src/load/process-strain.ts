import { performance, type EventLoopUtilization } from 'node:perf_hooks';

/** The mean share of busy readings from which the process can't keep up: a single one may be a single computation. */
const STRAINED_FROM = 0.7;
/** In a sustained overload it can't until it is down to this. An overload that nothing could end would go on by its own rejections. */
const STRAINED_TO = 0.3;
/** The share of the newest reading in that mean: four in a row are enough. */
const STRAIN_SMOOTHING = 0.3;
/** After which a mean of before says nothing. */
const STALE_MS = 100;

/** Whether the process can't keep up, by readings of how busy its event loop is. */
export class ProcessStrain {
  readonly #now: () => number;
  #mean = 0;
  #readAt = 0;

  /** @param now milliseconds on a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  read(isBusy: boolean): void {
    const now = this.#now();
    if (now - this.#readAt > STALE_MS) this.#mean = 0;
    this.#mean += (Number(isBusy) - this.#mean) * STRAIN_SMOOTHING;
    this.#readAt = now;
  }

  /** @param isSustained whether an overload is sustained: it takes less to go on than to begin */
  isOver(isSustained: boolean): boolean {
    return this.#mean >= (isSustained ? STRAINED_TO : STRAINED_FROM);
  }
}

/** @returns reads how busy the event loop was since the last reading, 0 to 1 */
export function utilizationReader(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
