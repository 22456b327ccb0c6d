import type { SettingsInForce } from '../settings/settings.ts';

/** How often a live query is resolved. */
export interface LiveQueryPace {
  /** From the beginning of one resolution to that of the next. */
  readonly intervalMs: number;
  /** For which one resolution may take. */
  readonly deadlineMs: number;
}

/** The operator's settings that bound a pace. */
export type PaceSettings = Pick<SettingsInForce, 'live' | 'timeouts'>;

/** @param throttleMs what the query asks for; without it the operator's interval holds. Both within the operator's bounds. */
export function liveQueryPace(throttleMs: number | undefined, settings: PaceSettings): LiveQueryPace {
  const { live, timeouts } = settings;
  const wishedMs = throttleMs ?? live.intervalMs;
  const intervalMs = Math.min(live.maxIntervalMs, Math.max(live.minIntervalMs, wishedMs));
  return { intervalMs, deadlineMs: timeouts.requestMs };
}
