import { EVENT_ID_EXTENSION, readEventId } from '@trellis/subgraph-protocol';
import type { Caller } from '../identity/caller.ts';
import type { RequestContext } from '../request/context.ts';
import { executeEvent } from '../execution/execute-event.ts';
import type { AdmittedOperation } from '../pipeline/admitted-operation.ts';
import { isInternal } from '../pipeline/format-errors.ts';
import { respond, respondToFailure } from '../pipeline/respond.ts';
import { StreamedResult } from '../pipeline/result-stream.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { writeAnswer } from '../pipeline/write-answer.ts';
import type { SubscriptionPlan } from '../plan/plan-steps.ts';
import type { OperationPlan } from '../plan/operation-plan.ts';
import { errorsOfFailure, failureOf, type StreamFailure } from './stream-failure.ts';
import type { TopicEmitter, TopicSource } from './topic.ts';
import type { UpstreamStream } from './upstream-stream.ts';

/** A subscription that is to be executed, for whoever shares it. */
export interface SharedExecution {
  readonly admitted: AdmittedOperation;
  readonly plan: OperationPlan;
  readonly context: Pick<RequestContext, 'requestId' | 'headers' | 'address'>;
  /** In whose name subgraphs are asked. */
  readonly caller: Caller;
  /** Those of the configuration in force at each event. */
  readonly services: () => PipelineServices;
}

/** Results made of a subgraph's events. */
export class SubscriptionSource implements TopicSource {
  readonly #execution: SharedExecution;
  readonly #subscription: SubscriptionPlan;
  readonly #upstream: UpstreamStream;

  constructor(execution: SharedExecution, subscription: SubscriptionPlan, upstream: UpstreamStream) {
    this.#execution = execution;
    this.#subscription = subscription;
    this.#upstream = upstream;
  }

  isEstablished(): boolean {
    return this.#upstream.isEstablished;
  }

  isSameAs(other: TopicSource): boolean {
    return other instanceof SubscriptionSource && other.#upstream === this.#upstream;
  }

  start(emitter: TopicEmitter): () => void {
    const { subgraph } = this.#subscription.primary;
    const closing = new AbortController();
    const ignore = this.#upstream.listen({
      event: (payload) => {
        if (emitter.hasAudience()) emitter.result(this.#makeResult(payload, closing.signal));
      },
      complete: () => emitter.complete(),
      fail: (failure) => emitter.fail(this.#report(failureOf(subgraph, failure))),
    });
    return () => {
      ignore();
      closing.abort();
    };
  }

  /** Once for all who are told of it. */
  #report(failure: StreamFailure): StreamFailure {
    const { observer } = this.#execution.services();
    for (const error of errorsOfFailure(failure).filter(isInternal))
      observer.internalError(this.#execution.context.requestId, error);
    return failure;
  }

  async #makeResult(payload: unknown, signal: AbortSignal): Promise<StreamedResult> {
    const { plan, admitted, context, caller } = this.#execution;
    const services = this.#execution.services();
    const extensions = extensionsOf(payload);
    try {
      const result = await executeEvent(plan, this.#subscription, payload, {
        variables: admitted.variables,
        headersFor: services.headersForSubgraphs.of(context, caller),
        subgraphClient: services.subgraphClient,
        introspector: services.planner,
        sharedBy: services.shares.of(admitted.caller, context.address),
        maxCalls: services.limits.subgraphCalls,
        signal,
      });
      services.observer.objectsAnswered(admitted.operation.kind, result.objects);
      const answer = respond(result, admitted, context.requestId, services);
      return new StreamedResult(writeAnswer({ ...answer, extensions }), result.objects);
    } catch (error) {
      const answer = respondToFailure(error, admitted, context.requestId, services);
      return new StreamedResult(writeAnswer({ ...answer, extensions }));
    }
  }
}

/** What a client resumes after is all that a subgraph's extensions tell it. */
function extensionsOf(payload: unknown): Readonly<Record<string, unknown>> | undefined {
  const extensions =
    typeof payload === 'object' && payload !== null && 'extensions' in payload
      ? payload.extensions
      : undefined;
  const id = readEventId(extensions);
  return id === undefined ? undefined : { [EVENT_ID_EXTENSION]: id };
}
