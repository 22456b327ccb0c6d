import { amountsOf, DEFAULT_SHARES, ShareBuckets } from '@trellis/admission';
import type { SettingsInForce } from '../settings/settings.ts';
import { responseCache as responseCacheTable } from '../settings/response-cache.ts';

/** What each caller may have stored, by the kind of it. What goes beyond is served, and not stored. */
export interface StorageShares {
  /** Characters of persisted queries, and some more for each. */
  readonly texts: ShareBuckets;
  /** Characters of answers. */
  readonly answers: ShareBuckets;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Makes those of one process. They hold for each process: what all have stored together is bounded by their Redis. */
export function createStorageShares({
  persistedQueries,
  responseCache,
}: Pick<SettingsInForce, 'persistedQueries' | 'responseCache'>): StorageShares {
  const texts = persistedQueries.perCallerHour;
  const answers = responseCache?.perCallerMinute ?? responseCacheTable.members.perCallerMinute.default;
  const { ofCaller } = DEFAULT_SHARES;
  return {
    texts: new ShareBuckets({ amounts: amountsOf(texts, ofCaller), windowMs: HOUR_MS }),
    answers: new ShareBuckets({ amounts: amountsOf(answers, ofCaller), windowMs: MINUTE_MS }),
  };
}
