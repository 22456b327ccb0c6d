import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { gatewayErrorCodes, rejected } from '../errors.ts';
import type { IntrospectionRequest, Introspector } from '../plan/introspection-question.ts';
import { GATEWAY_ITSELF } from './threads/job-waiters.ts';
import type { QueryPlanSource } from './threads/planner-pool.ts';
import { PlannerOverstrained } from './threads/planner-rejections.ts';
import { CoalescedWork } from './coalesced-work.ts';
import { plannerFailure } from './planner-failure.ts';

/** Of one response; the thread stops writing there. */
const MAX_CHARACTERS = 16_777_216;
/** Of all cached results. */
const MAX_REMEMBERED_CHARACTERS = 33_554_432;
const MAX_REMEMBERED = 500;
const MAX_REJECTIONS = 1_000;
const REJECTION_MS = 10 * 60_000;

/** Called with the outcome of introspection queries. */
export interface IntrospectionObserver {
  introspected(outcome: 'hit' | 'miss' | 'failed'): void;
}

/**
 * Results of introspection, made by query planner workers, each once however many ask for it. The cache key consists of
 * the query's text with its conditions decided, and the variables of its arguments.
 */
export class IntrospectionResults implements Introspector {
  readonly #source: Pick<QueryPlanSource, 'introspect'>;
  readonly #results = new LRUCache<string, string>({
    max: MAX_REMEMBERED,
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  /** What took too long. */
  readonly #rejections = new LRUCache<string, GraphQLError>({ max: MAX_REJECTIONS, ttl: REJECTION_MS });
  readonly #work = new CoalescedWork<string>();

  readonly #observer: IntrospectionObserver | undefined;

  constructor(source: Pick<QueryPlanSource, 'introspect'>, observer: IntrospectionObserver | undefined) {
    this.#source = source;
    this.#observer = observer;
  }

  introspect(request: IntrospectionRequest, signal: AbortSignal): string | Promise<string> {
    const { supergraph, text, variables, defaultOnError, caller = GATEWAY_ITSELF } = request;
    const key = `${supergraph.hash} ${defaultOnError} ${JSON.stringify(variables)} ${text}`;
    const known = this.#results.get(key);
    if (known !== undefined) {
      this.#observer?.introspected('hit');
      return known;
    }
    const rejection = this.#rejections.get(key);
    if (rejection) return Promise.reject(rejection);
    return this.#work.run(
      key,
      async (waiters) => {
        const input = { text, variables, defaultOnError, maxCharacters: MAX_CHARACTERS };
        const result = await this.#source.introspect(supergraph, input, waiters).catch((error: unknown) => {
          this.#observer?.introspected('failed');
          const failure = plannerFailure(error);
          if (error instanceof PlannerOverstrained) this.#rejections.set(key, failure);
          throw failure;
        });
        if (result === undefined) {
          this.#observer?.introspected('failed');
          throw rejected('RESPONSE_TOO_LARGE', gatewayErrorCodes.RESPONSE_TOO_LARGE.summary);
        }
        this.#results.set(key, result);
        this.#observer?.introspected('miss');
        return result;
      },
      caller,
      signal,
    );
  }
}
