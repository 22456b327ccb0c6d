import type { LoadedService } from './load-content.ts';
import type { Question } from './measured-subgraph.ts';

/** A request that is measured again and again. */
export interface Scenario {
  readonly name: string;
  readonly service: LoadedService;
  readonly question: Question;
  /** Milliseconds that are promised with 100,000 users, a million posts and ten million comments on two cores. */
  readonly promisedMs: PromisedMs;
}

/** What half of all requests, and 99 of 100, take no longer than. */
export interface PromisedMs {
  readonly p50: number;
  readonly p99: number;
}

/** What is promised of every list. */
export const LIST_MS: PromisedMs = { p50: 15, p99: 50 };
