import { CircuitBreaker, type BreakerState } from './circuit-breaker.ts';
import { ConcurrencyLimit } from '../concurrency/concurrency-limit.ts';
import { RetryBudget } from './retry-budget.ts';
import type { SubgraphRequestSettings } from '../settings/traffic.ts';

/** What is known of one subgraph, as long as its rules stay the same. */
export interface SubgraphTraffic {
  readonly rules: SubgraphRequestSettings;
  readonly breaker: CircuitBreaker | undefined;
  readonly limit: ConcurrencyLimit;
  readonly budget: RetryBudget | undefined;
}

/** How a call of a subgraph ended, for metrics. */
export type CallOutcome =
  | 'answered'
  | 'server-error'
  | 'unreachable'
  | 'timeout'
  | 'too-large'
  | 'redirect'
  | 'encoding'
  | 'rejected'
  | 'aborted';

/** Called for what happens between the gateway and its subgraphs. */
export interface TrafficObserver {
  breakerChanged(subgraph: string, state: BreakerState): void;
  callEnded(subgraph: string, outcome: CallOutcome, durationMs: number): void;
  repeated(subgraph: string, reason: 'retry' | 'hedge'): void;
}

/** What is known of all subgraphs that were asked. */
export interface TrafficStates {
  readonly observer: TrafficObserver;
  of(subgraph: string, rules: SubgraphRequestSettings): SubgraphTraffic;
  /** Of each subgraph by its name, for metrics. */
  all(): Iterable<readonly [string, SubgraphTraffic]>;
}

/** Rules that change begin again; everything else outlives changes of the configuration. */
export function createTrafficStates(observer: TrafficObserver): TrafficStates {
  const states = new Map<string, SubgraphTraffic>();
  return {
    observer,
    of(subgraph, rules) {
      const known = states.get(subgraph);
      if (known?.rules === rules) return known;
      const state =
        known && isEqual(known.rules, rules) ? { ...known, rules } : begin(subgraph, rules, observer);
      states.set(subgraph, state);
      return state;
    },
    all: () => states,
  };
}

function isEqual(before: SubgraphRequestSettings, after: SubgraphRequestSettings): boolean {
  return JSON.stringify(before) === JSON.stringify(after); // both are made in one place, in one order
}

function begin(subgraph: string, rules: SubgraphRequestSettings, observer: TrafficObserver): SubgraphTraffic {
  const { breaker, retries } = rules;
  const limit = new ConcurrencyLimit(rules.concurrency);
  const onChange = (state: BreakerState): void => observer.breakerChanged(subgraph, state);
  return {
    rules,
    breaker: breaker && new CircuitBreaker(breaker, onChange),
    limit,
    budget: retries && new RetryBudget(retries),
  };
}
