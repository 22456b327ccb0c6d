import type { BreakerRules } from './circuit-breaker.ts';
import type { ConcurrencyRules } from './concurrency-limit.ts';
import type { RetryRules } from './retry-budget.ts';
import type { SubgraphTrafficSettings, TrafficSettings } from '../settings/traffic-settings.ts';

/** How one subgraph is asked, with every default filled in. */
export interface TrafficRules {
  /** From the call to the last byte of the answer, milliseconds, with the time that it waits for others. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Absent: the subgraph is asked whatever it answers. */
  readonly breaker: BreakerRules | undefined;
  readonly concurrency: ConcurrencyRules;
  /** Absent: no call is repeated. */
  readonly retries: RetryRules | undefined;
  /** Milliseconds after which a query that has no answer yet is sent a second time. Absent: never. */
  readonly hedgeAfterMs: number | undefined;
}

/** The rules of each subgraph, by its name. */
export type TrafficRulesOf = (subgraph: string) => TrafficRules;

const DEFAULT_MAX_RESPONSE_BYTES = 16_777_216;
const DEFAULT_BREAKER: BreakerRules = { failureShare: 0.5, minCalls: 30, windowMs: 10_000, sleepMs: 1_000 };
const DEFAULT_CONCURRENCY: ConcurrencyRules = { calls: 256, queue: 2_048, perCaller: 0.75 };
const DEFAULT_RETRIES: RetryRules = { reserve: 10, perCall: 0.1 };

/**
 * Joins what holds for all subgraphs and what holds for some.
 *
 * @param timeoutMs where the settings name none
 */
export function compileTrafficRules(settings: TrafficSettings, timeoutMs: number): TrafficRulesOf {
  const compiled = new Map<string, TrafficRules>();
  return (subgraph) => {
    let rules = compiled.get(subgraph);
    if (!rules) compiled.set(subgraph, (rules = rulesFor(settings, ownOf(settings, subgraph), timeoutMs)));
    return rules;
  };
}

function ownOf({ subgraphs = {} }: TrafficSettings, subgraph: string): SubgraphTrafficSettings {
  return (Object.hasOwn(subgraphs, subgraph) ? subgraphs[subgraph] : undefined) ?? {};
}

function rulesFor(
  all: SubgraphTrafficSettings,
  own: SubgraphTrafficSettings,
  timeoutMs: number,
): TrafficRules {
  return {
    timeoutMs: own.timeoutMs ?? all.timeoutMs ?? timeoutMs,
    maxResponseBytes: own.responseBytes ?? all.responseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
    breaker: breakerOf(own.breaker ?? all.breaker),
    concurrency: { ...DEFAULT_CONCURRENCY, ...given(all.concurrency), ...given(own.concurrency) },
    retries: retriesOf(own.retries ?? all.retries),
    hedgeAfterMs: (own.hedging ?? all.hedging)?.afterMs,
  };
}

function breakerOf(settings: SubgraphTrafficSettings['breaker']): BreakerRules | undefined {
  return settings === false ? undefined : { ...DEFAULT_BREAKER, ...given(settings) };
}

function retriesOf(settings: SubgraphTrafficSettings['retries']): RetryRules | undefined {
  return settings === false ? undefined : { ...DEFAULT_RETRIES, ...given(settings) };
}

/** Members that are `undefined` must not hide a default. */
function given<T extends object>(settings: T | undefined): { [Name in keyof T]: NonNullable<T[Name]> } {
  const entries = Object.entries(settings ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: NonNullable<T[Name]> }; // the rest was taken out
}
