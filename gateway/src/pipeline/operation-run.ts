import type { GraphQLFormattedError } from 'graphql';
import type { Caller } from '../identity/caller.ts';
import type { RequestContext, ErrorBehavior } from '../request/context.ts';
import type { ExecutionContext } from '../execution/plan-run.ts';
import { eventLane } from '../load/waiting-line.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import {
  OperationClock,
  type ResultReport,
  errorsOf,
  respond,
  respondToFailure,
  showErrors,
  type Executed,
} from './respond.ts';
import type { OperationResult } from './operation-result.ts';
import { isListed } from './persisted-query.ts';
import type { PipelineServices, RoutedOperation, RoutedRun } from './services.ts';
import type { RunContext, RunKind, TracedRun } from './run-tracer.ts';
import type { StageName } from './stages.ts';

/** What was executed, and how many objects it holds. */
export interface CountedResult extends Executed {
  readonly objects: number;
}

/**
 * One operation in flight. Queries, mutations with their deferred fragments, subscription events and live ticks all run in one of
 * these: it carries the caller, the deadline, the stage, and passes the execution gate once.
 */
export class OperationRun implements TracedRun, RoutedRun {
  readonly kind: RunKind;
  readonly context: RunContext;
  readonly services: PipelineServices;
  /** Absent where no one is shown timings, as of events and ticks: those are in metrics. */
  readonly clock: OperationClock | undefined;
  /** Absent until the operation has been admitted. */
  admitted: AdmittedOperation | undefined;
  /** Where the request was routed to. Absent where one generation serves alone. */
  routed: RoutedOperation | undefined;
  /** When it began to execute, by `performance.now()`. Absent until then, and where one generation serves alone. */
  executingSinceMs: number | undefined;
  /** The stage that the run is in, or ended in. */
  stage: StageName | undefined;
  /** The code of the first error that the client is shown. */
  errorCode: string | undefined;

  constructor(kind: RunKind, context: RunContext, services: PipelineServices, admitted?: AdmittedOperation) {
    this.kind = kind;
    this.context = context;
    this.services = services;
    this.admitted = admitted;
    this.clock =
      kind === 'request' && services.responsePolicy.shows.timings ? new OperationClock() : undefined;
  }

  get isListed(): boolean {
    const text = this.admitted?.text ?? this.routed?.text;
    return text !== undefined && isListed(text, this.services.persistedQueries);
  }

  /** Each stage begins with this. */
  enter(stage: StageName): void {
    this.stage = stage;
    this.services.observer.stageEntered?.(this.context.requestId, this.kind, stage);
  }

  /** @param asked in whose name subgraphs are asked. @default the caller */
  executionOf(
    admitted: AdmittedOperation,
    asked: Caller = admitted.caller,
    forwarded: Pick<RequestContext, 'headers' | 'requestId'> = this.context,
  ): ExecutionContext {
    const { services, context } = this;
    return {
      variables: admitted.variables,
      headersFor: services.headersForSubgraphs.of(forwarded, asked),
      subgraphClient: services.subgraphClient,
      disclosureOf: services.disclosureOf,
      headerDisclosure: this.kind === 'request' ? services.headerDisclosure : undefined, // events have no head
      introspector: services.planner,
      entitiesWanted: services.responsePolicy.explanation?.noteEntities,
      sharedBy: services.shares.of(admitted.caller, context.address),
      maxRequests: services.limits.subgraphRequests,
      onError: admitted.onError,
      defaultOnError: services.onError,
      signal: context.signal,
    };
  }

  /** Waits for a turn, then executes. @throws what `execute` throws, and the signal's reason */
  gated<Result>(
    execution: ExecutionContext,
    execute: (execution: ExecutionContext) => Promise<Result>,
  ): Promise<Result> {
    this.enter('gate');
    const caller = this.kind === 'request' ? execution.sharedBy : eventLane(execution.sharedBy);
    return this.services.executionGate.run(
      () => {
        this.enter('execute');
        if (this.routed) this.executingSinceMs = performance.now();
        return execute(execution);
      },
      execution.signal,
      caller,
    );
  }

  /**
   * As {@link gated}, for a response in parts: comes with the first of them, and gives its turn back when all is fetched.
   *
   * @throws likewise
   */
  gatedInParts<Result extends { readonly fetched: Promise<unknown> }>(
    execution: ExecutionContext,
    execute: (execution: ExecutionContext) => Promise<Result>,
  ): Promise<Result> {
    return new Promise((begun, failed) => {
      const executeAll = async (context: ExecutionContext): Promise<void> => {
        const result = await execute(context);
        begun(result);
        await result.fetched;
      };
      this.gated(execution, executeAll).catch(failed);
    });
  }

  /** The result as the client gets it. @throws RequestError RESPONSE_TOO_LARGE */
  respond(result: CountedResult, admitted: AdmittedOperation, report?: ResultReport): OperationResult {
    this.enter('respond');
    return this.#note(respond(result, admitted, this.context.requestId, this.services, report));
  }

  /** The failure as the client gets it. */
  fail(failure: unknown): OperationResult {
    const response = respondToFailure(failure, this.admitted, this.context.requestId, this.services);
    return this.#note({ ...response, stage: this.stage });
  }

  /** The errors behind a failure as clients see them. */
  shownErrorsOf(failure: unknown): readonly GraphQLFormattedError[] {
    return showErrors(errorsOf(failure), this.context.requestId, this.services);
  }

  /** Counts the objects of a result, and charges them to the rates of the caller. */
  charge(objects: number, admitted: AdmittedOperation): void {
    recordDemand(objects, admitted, this.context, this.services);
  }

  #note(response: OperationResult): OperationResult {
    const code = response.errors[0]?.extensions?.['code'];
    if (typeof code === 'string') this.errorCode = code;
    return response;
  }
}

/**
 * What an operation turned out to cost: its objects are counted, and charged to the rates of its caller where they are
 * many. What was estimated before decides whether it may run; this decides how soon its caller may ask again.
 */
function recordDemand(
  objects: number,
  { operation, caller }: AdmittedOperation,
  { address }: Pick<RequestContext, 'address'>,
  { observer, rateLimiter }: PipelineServices,
): void {
  observer.objectsReturned(operation.kind, objects);
  rateLimiter.chargeResponse(address, caller, objects);
}

/** What distinguishes results of equal operations: nothing for most. */
export function keyOfBehavior(onError: ErrorBehavior): string {
  return onError === 'PROPAGATE' ? '' : ` onError=${onError}`;
}
