import { executePlan } from '../execution/execute-plan.ts';
import { weightOf } from '../pipeline/admit-operation.ts';
import { recordDemand } from '../pipeline/record-demand.ts';
import { respond, respondToFailure } from '../pipeline/respond.ts';
import { StreamedResult } from '../pipeline/result-stream.ts';
import { writeAnswer } from '../pipeline/write-answer.ts';
import type { SharedExecution } from './subscription-source.ts';
import type { TopicEmitter, TopicSource } from './topic.ts';
import type { LiveQueryPace } from './live-query-pace.ts';

/** Results of a query that is resolved again and again; those that are like the one before are not told. */
export class LiveQuerySource implements TopicSource {
  readonly #execution: SharedExecution;
  readonly #pace: LiveQueryPace;
  #lastText = '';
  #isResolving = false;

  constructor(execution: SharedExecution, pace: LiveQueryPace) {
    this.#execution = execution;
    this.#pace = pace;
  }

  /** It reads how things are: there is nothing to miss. */
  isEstablished(): boolean {
    return true;
  }

  isSameAs(): boolean {
    return true;
  }

  start(emitter: TopicEmitter): () => void {
    const closing = new AbortController();
    const tick = (): void => {
      if (!this.#isResolving) emitter.result(this.#resolve(closing.signal)); // a slow resolution is not overtaken
    };
    const timer = setInterval(tick, this.#pace.intervalMs);
    tick();
    return () => {
      clearInterval(timer);
      closing.abort();
    };
  }

  async #resolve(closing: AbortSignal): Promise<StreamedResult | undefined> {
    this.#isResolving = true;
    try {
      const text = await this.#answer(AbortSignal.any([closing, AbortSignal.timeout(this.#pace.deadlineMs)]));
      if (closing.aborted || text === undefined || text === this.#lastText) return undefined;
      this.#lastText = text;
      return new StreamedResult(text);
    } finally {
      this.#isResolving = false;
    }
  }

  /** Each resolution counts as an operation: one that exceeds the rate is left out. */
  async #answer(signal: AbortSignal): Promise<string | undefined> {
    const { plan, admitted, context, caller } = this.#execution;
    const services = this.#execution.services();
    if (!(await this.#isWithinRate())) return undefined;
    try {
      const result = await executePlan(plan, {
        variables: admitted.variables,
        headersFor: services.headersForSubgraphs.of(context, caller),
        subgraphClient: services.subgraphClient,
        introspector: services.planner,
        sharedBy: services.shares.of(admitted.caller, context.address),
        maxCalls: services.limits.subgraphCalls,
        signal,
      });
      recordDemand(result.objects, admitted, context, services);
      return writeAnswer(respond(result, admitted, context.requestId, services));
    } catch (error) {
      return writeAnswer(respondToFailure(error, admitted, context.requestId, services));
    }
  }

  async #isWithinRate(): Promise<boolean> {
    if (this.#lastText === '') return true; // the first was counted when the query was let in
    const { admitted, context } = this.#execution;
    const { rateLimiter } = this.#execution.services();
    const weight = weightOf(admitted.operation);
    try {
      await rateLimiter.countAddress(context.address, weight);
      await rateLimiter.countCaller(admitted.caller, weight);
      return true;
    } catch {
      return false;
    }
  }
}
