import { amountsOf, DEFAULT_SHARES, ShareBuckets, type BucketRate } from '@trellis/runtime/admission';
import { fillIn } from '../settings/fill-in.ts';
import type { SettingsInForce } from '../settings/settings.ts';
import { responseCache as responseCacheTable } from '../settings/response-cache.ts';

/** What each caller may have stored, by the kind of it. What goes beyond is served, and not stored. */
export interface StorageShares {
  /** Characters of persisted queries, and some more for each. */
  readonly texts: ShareBuckets;
  /** Characters of responses. */
  readonly responses: ShareBuckets;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Makes those of one process. They hold for each process: what all have stored together is bounded by their Redis. */
export function createStorageShares(settings: StorageSettings): StorageShares {
  const rates = ratesOf(settings);
  return { texts: new ShareBuckets(rates.texts), responses: new ShareBuckets(rates.responses) };
}

/** From now on callers have other amounts. */
export function changeStorageShares(shares: StorageShares, settings: StorageSettings): void {
  const rates = ratesOf(settings);
  shares.texts.rate = rates.texts;
  shares.responses.rate = rates.responses;
}

type StorageSettings = Pick<SettingsInForce, 'persistedQueries' | 'responseCache'>;

function ratesOf({
  persistedQueries,
  responseCache,
}: StorageSettings): Record<keyof StorageShares, BucketRate> {
  const { perCallerMinute } = responseCache ?? OFF;
  const { ofCaller } = DEFAULT_SHARES;
  return {
    texts: { amounts: amountsOf(persistedQueries.perCallerHour, ofCaller), windowMs: HOUR_MS },
    responses: { amounts: amountsOf(perCallerMinute, ofCaller), windowMs: MINUTE_MS },
  };
}

/** Without a response cache, nothing is charged. */
const OFF = fillIn(responseCacheTable.members, {});
