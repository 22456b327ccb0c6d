import { amountAt, amountsOf, DEFAULT_SHARES, ShareLimit, type ShareKeys } from '@trellis/runtime/admission';
import { shareKeysOfCaller, type Caller } from '../identity/caller.ts';
import { tooManyStreams } from '../errors.ts';
import type { StreamKind } from './stream-observer.ts';
import type { SettingsInForce } from '../settings/settings.ts';

/** What bounds it changes with the settings. */
const UNBOUNDED = { total: Infinity, perKey: [Infinity] } as const;

/** The operator's settings that bound streams. */
type QuotaSettings = Pick<SettingsInForce, 'live' | 'subscriptions'>;

/** Counts the streams of each user, or of each network for anonymous callers; the networks around it may have some times as many. */
export class StreamQuota {
  readonly #all = new ShareLimit(UNBOUNDED);
  readonly #live = new ShareLimit(UNBOUNDED);

  /**
   * Takes one stream from a client's share.
   *
   * @returns gives it back; more than once does no harm
   * @throws RequestError TOO_MANY_STREAMS
   */
  take(kind: StreamKind, caller: Caller, address: string, settings: QuotaSettings): () => void {
    const keys = shareKeysOfCaller(caller, address);
    assertFree(this.#all, keys, settings.subscriptions.maxPerUser);
    if (kind === 'live') assertFree(this.#live, keys, settings.live.maxPerUser);
    const counted = kind === 'live' ? [this.#all, this.#live] : [this.#all];
    for (const limit of counted) limit.acquire(keys);
    return () => {
      for (const limit of counted.splice(0)) limit.release(keys);
    };
  }
}

function assertFree(limit: ShareLimit, keys: ShareKeys, maximum: number): void {
  const amounts = amountsOf(maximum, DEFAULT_SHARES.ofCaller);
  if (keys.every((key, level) => limit.heldBy(key) < amountAt(amounts, level))) return;
  throw tooManyStreams(`No more than ${maximum} of these streams may be open at once.`);
}
