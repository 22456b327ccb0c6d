import { amountsOf, DEFAULT_SHARES, ShareBuckets } from '@trellis/admission';
import type { GatewaySettings } from '../settings/settings.ts';

/** What each caller may have stored, by the kind of it. What goes beyond is served, and not stored. */
export interface StorageShares {
  /** Characters of persisted queries, and some more for each. */
  readonly texts: ShareBuckets;
  /** Characters of answers. */
  readonly answers: ShareBuckets;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** An application has some hundreds of operations, of a few thousand characters each. */
const TEXTS_PER_HOUR = 2_097_152;
/** A server that renders pages for others asks as one caller. */
const ANSWERS_PER_MINUTE = 67_108_864;

/** Makes those of one process. They hold for each process: what all have stored together is bounded by their Redis. */
export function createStorageShares({
  persistedQueries,
  responseCache,
}: Pick<GatewaySettings, 'persistedQueries' | 'responseCache'>): StorageShares {
  const texts = persistedQueries?.perCallerHour ?? TEXTS_PER_HOUR;
  const answers = responseCache?.perCallerMinute ?? ANSWERS_PER_MINUTE;
  const { ofCaller } = DEFAULT_SHARES;
  return {
    texts: new ShareBuckets({ amounts: amountsOf(texts, ofCaller), windowMs: HOUR_MS }),
    answers: new ShareBuckets({ amounts: amountsOf(answers, ofCaller), windowMs: MINUTE_MS }),
  };
}
