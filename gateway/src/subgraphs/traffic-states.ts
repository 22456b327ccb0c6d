import { own } from '@trellis/runtime/own-property';
import { CircuitBreaker, type BreakerState } from './circuit-breaker.ts';
import { ConcurrencyLimit } from '../concurrency/concurrency-limit.ts';
import { fillIn } from '../settings/fill-in.ts';
import {
  subgraphRequests,
  type SubgraphRequestSettings,
  type SubgraphTrafficSettings,
  type TrafficSettings,
} from '../settings/traffic.ts';

/** What is known of one subgraph at one address, as long as its rules stay the same. */
export interface SubgraphTraffic {
  readonly rules: SubgraphRequestSettings;
  readonly breaker: CircuitBreaker | undefined;
  readonly limit: ConcurrencyLimit;
  readonly budget: RetryBudget | undefined;
}

/** How a subgraph request ended, for metrics. */
export type SubgraphRequestOutcome =
  | 'responded'
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
  requestEnded(subgraph: string, outcome: SubgraphRequestOutcome, durationMs: number): void;
  retried(subgraph: string, reason: 'retry' | 'hedge'): void;
}

/** What is known of all subgraphs that requests were sent to. */
export interface TrafficStates {
  readonly observer: TrafficObserver;
  /** @param url a version of it at another address fails by itself: the circuit breaker of the others stays closed */
  of(subgraph: string, rules: SubgraphRequestSettings, url: string): SubgraphTraffic;
  /** Of each subgraph by its name, at all its addresses, for metrics. */
  all(): Iterable<readonly [string, readonly SubgraphTraffic[]]>;
}

/** Addresses of a subgraph that are remembered; the oldest leaves. */
const MAX_ADDRESSES = 16;

type TrafficByUrl = Map<string, SubgraphTraffic>;

/** Rules that change begin again; everything else outlives changes of the configuration. */
export function createTrafficStates(observer: TrafficObserver): TrafficStates {
  const states = new Map<string, TrafficByUrl>();
  return {
    observer,
    of(subgraph, rules, url) {
      const byUrl = states.get(subgraph);
      const known = byUrl?.get(url);
      if (known?.rules === rules) return known;
      const addresses = byUrl ?? new Map<string, SubgraphTraffic>();
      states.set(subgraph, addresses);
      const state =
        known && isEqual(known.rules, rules)
          ? { ...known, rules }
          : begin(subgraph, rules, addresses, observer);
      remember(addresses, url, state);
      return state;
    },
    *all() {
      for (const [subgraph, byUrl] of states) yield [subgraph, [...byUrl.values()]];
    },
  };
}

function remember(addresses: TrafficByUrl, url: string, state: SubgraphTraffic): void {
  addresses.set(url, state);
  const [oldest] = addresses.keys();
  if (addresses.size > MAX_ADDRESSES && oldest !== undefined) addresses.delete(oldest);
}

function isEqual(before: SubgraphRequestSettings, after: SubgraphRequestSettings): boolean {
  return JSON.stringify(before) === JSON.stringify(after); // both are made in one place, in one order
}

function begin(
  subgraph: string,
  rules: SubgraphRequestSettings,
  addresses: ReadonlyMap<string, SubgraphTraffic>,
  observer: TrafficObserver,
): SubgraphTraffic {
  const { breaker, retries } = rules;
  const limit = new ConcurrencyLimit(rules.concurrency);
  const onChange = (state: BreakerState): void => {
    const isOpenElsewhere = [...addresses.values()].some((traffic) => traffic.breaker?.state === 'open');
    if (state === 'open' || !isOpenElsewhere) observer.breakerChanged(subgraph, state);
  };
  return {
    rules,
    breaker: breaker && new CircuitBreaker(breaker, onChange),
    limit,
    budget: retries && new RetryBudget(retries),
  };
}

/** The rules of each subgraph, by its name. */
export type TrafficRulesOf = (subgraph: string) => SubgraphRequestSettings;

/** Joins what holds for all subgraphs and what holds for some. */
export function compileTrafficRules(settings: TrafficSettings): TrafficRulesOf {
  const { subgraphs, ...all } = settings;
  const compiled = new Map<string, SubgraphRequestSettings>();
  return (subgraph) => {
    let rules = compiled.get(subgraph);
    if (!rules) {
      const special = own(subgraphs, subgraph);
      compiled.set(subgraph, (rules = special ? rulesFor(all, special) : all));
    }
    return rules;
  };
}

/** A group of its own replaces that of all, but for the concurrency limit, whose members do one by one. */
function rulesFor(all: SubgraphRequestSettings, own: SubgraphTrafficSettings): SubgraphRequestSettings {
  return fillIn(subgraphRequests, {
    timeoutMs: own.timeoutMs ?? all.timeoutMs,
    responseBytes: own.responseBytes ?? all.responseBytes,
    retries: own.retries ?? all.retries ?? false,
    breaker: own.breaker ?? all.breaker ?? false,
    concurrency: { ...all.concurrency, ...given(own.concurrency) },
    hedging: own.hedging ?? all.hedging,
  });
}

/** Members that are `undefined` must not hide a default. */
function given<T extends object>(settings: T | undefined): { [Name in keyof T]: NonNullable<T[Name]> } {
  const entries = Object.entries(settings ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: NonNullable<T[Name]> }; // the rest was taken out
}

/** How many requests may be retried or hedged. */
interface RetryRules {
  /** Retries and hedges that may be made at once before any request has earned one. */
  readonly reserve: number;
  /** The part of a retry that each request earns: at 0.1, one of ten may be sent again. */
  readonly perRequest: number;
}

/** Bounds retries and hedges in proportion to requests: a subgraph that is down does not get twice as many. */
class RetryBudget {
  readonly #rules: RetryRules;
  #left: number;

  constructor(rules: RetryRules) {
    this.#rules = rules;
    this.#left = rules.reserve;
  }

  /** A request is sent for the first time. */
  earn(): void {
    if (this.#left < this.#rules.reserve)
      this.#left = Math.min(this.#rules.reserve, this.#left + this.#rules.perRequest);
  }

  /** Whether a request may be sent again; a `true` uses that up. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
