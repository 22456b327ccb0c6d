import type { SpanContext } from '@opentelemetry/api';
import { DeadlineSignal, whenAborted } from '../abort/deadline-signal.ts';
import { gatewayErrorCodes, rejected } from '../errors.ts';
import type { ExecutionContext } from '../execution/plan-run.ts';
import { runPlan } from '../execution/run-plan.ts';
import type { Caller } from '../identity/caller.ts';
import type { ExecutionResult } from '../plan/response-body.ts';
import type { Plan } from '../plan/plan.ts';
import type { RequestContext } from '../request/context.ts';
import { weightOf } from './prepare-request.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import type { OperationResult } from './operation-result.ts';
import { OperationRun } from './operation-run.ts';
import { operationOutcome } from './respond.ts';
import type { RunKind } from './run-tracer.ts';
import type { PipelineServices } from './services.ts';

/** What a stream keeps of the request that opened it. */
export interface StreamContext extends Pick<
  RequestContext,
  'requestId' | 'headers' | 'software' | 'address'
> {
  /** The span in which the stream was opened; absent where nothing is traced. */
  readonly opened: SpanContext | undefined;
}

/** A planned subscription or live query, for all clients that share it. */
export interface SharedOperation {
  readonly admitted: AdmittedOperation;
  readonly plan: Plan;
  readonly context: StreamContext;
  /** In whose name subgraphs are asked. */
  readonly caller: Caller;
  /** Those of the configuration in force at each run. */
  readonly services: () => PipelineServices;
  /** Milliseconds for which one run may take. */
  readonly deadlineMs: () => number;
}

/** The response of an event or a tick. */
export interface StreamRunResult {
  readonly response: OperationResult;
  /** Objects in it. */
  readonly objects: number;
}

/**
 * Runs an event of a subscription. It does not reject: failures are in the response.
 *
 * @param payload what the subgraph sent, as parsed; not to be used again
 * @param closing aborts with the topic
 */
export function runEvent(
  shared: SharedOperation,
  payload: unknown,
  closing: AbortSignal,
): Promise<StreamRunResult> {
  const cameMs = performance.now();
  const begin = (): Promise<StreamRunResult> => runEventNow(shared, payload, cameMs, closing);
  return asksSubgraphs(shared.plan) ? inTurnOfEvents(shared, begin) : begin();
}

function runEventNow(
  shared: SharedOperation,
  payload: unknown,
  cameMs: number,
  closing: AbortSignal,
): Promise<StreamRunResult> {
  return runBegun(beginRun('event', shared, cameMs, closing), shared, async (run, execution) => {
    execution.signal.throwIfAborted(); // it may have waited for its turn
    const result = await run.gated(execution, (context) => runPlan(shared.plan, context, { payload }));
    run.services.observer.objectsReturned('subscription', result.objects);
    return result;
  });
}

/**
 * Runs a tick of a live query. It does not reject: failures are in the response.
 *
 * @param isCounted whether the rate limits have counted it already, with the request
 * @param closing aborts with the topic
 * @returns nothing where a rate limit skips the tick
 */
export async function runTick(
  shared: SharedOperation,
  isCounted: boolean,
  closing: AbortSignal,
): Promise<StreamRunResult | undefined> {
  const begun = beginRun('tick', shared, performance.now(), closing);
  const result = await runBegun(begun, shared, async (run, execution) => {
    if (!isCounted) await countTick(run, shared);
    const executed = await run.services.eventTurns.run(execution.sharedBy, execution.signal, () =>
      run.gated(execution, (context) => runPlan(shared.plan, context)),
    );
    run.charge(executed.objects, shared.admitted);
    return executed;
  });
  return isBeyondRate(begun.run) ? undefined : result;
}

/**
 * Events come by the hundred: those that ask subgraphs begin a few in each turn of the event loop, each caller's by its share. One that
 * has to wait begins also when its topic has ended meanwhile, and fails.
 */
function inTurnOfEvents(
  { services, admitted, context }: SharedOperation,
  begin: () => Promise<StreamRunResult>,
): Promise<StreamRunResult> {
  const { eventTurns, shares } = services();
  return eventTurns.run(shares.of(admitted.caller, context.address), undefined, begin);
}

/** Whether an event needs more than its subgraph has sent. What does not is over as soon as it begins. */
function asksSubgraphs({ subscription }: Plan): boolean {
  return subscription?.rest !== undefined;
}

function isBeyondRate({ stage, errorCode }: OperationRun): boolean {
  return stage === 'tick rate' && errorCode === 'RATE_LIMITED';
}

interface BegunRun {
  readonly run: OperationRun;
  /** When its event came, or when it began, by `performance.now()`. */
  readonly sinceMs: number;
  /** Ends its deadline. */
  readonly clear: () => void;
}

function beginRun(kind: RunKind, shared: SharedOperation, sinceMs: number, closing: AbortSignal): BegunRun {
  const { signal, clear } = deadlineOf(sinceMs + shared.deadlineMs() - performance.now(), closing);
  const run = new OperationRun(kind, { ...shared.context, signal }, shared.services(), shared.admitted);
  return { run, sinceMs, clear };
}

type Execute = (run: OperationRun, execution: ExecutionContext) => Promise<ExecutionResult>;

async function runBegun(
  { run, sinceMs, clear }: BegunRun,
  { admitted, caller }: SharedOperation,
  execute: Execute,
): Promise<StreamRunResult> {
  const { tracer, observer } = run.services;
  const respond = async (): Promise<StreamRunResult> => {
    try {
      const result = await execute(run, run.executionOf(admitted, caller));
      return { response: run.respond(result, admitted), objects: result.objects };
    } catch (error) {
      return { response: run.fail(error), objects: 0 };
    }
  };
  const perform = async (): Promise<StreamRunResult> => {
    const result = await respond();
    clear();
    const seconds = (performance.now() - sinceMs) / 1_000;
    if (!isBeyondRate(run)) observer.streamRunEnded(run.kind, operationOutcome(result.response), seconds);
    return result;
  };
  return tracer ? tracer.trace(run, perform) : perform();
}

function deadlineOf(
  deadlineMs: number,
  closing: AbortSignal,
): { readonly signal: DeadlineSignal; readonly clear: () => void } {
  const signal = new DeadlineSignal(deadlineMs);
  if (closing.aborted) signal.abort(closing.reason);
  const stop = whenAborted(closing, () => signal.abort(closing.reason));
  const timer = setTimeout(
    () => signal.abort(rejected('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary)),
    deadlineMs,
  );
  const clear = (): void => {
    clearTimeout(timer);
    stop();
  };
  return { signal, clear };
}

/** @throws RequestError RATE_LIMITED */
async function countTick(run: OperationRun, { admitted, context }: SharedOperation): Promise<void> {
  run.enter('tick rate');
  const { rateLimiter } = run.services;
  const weight = weightOf(admitted.operation);
  await rateLimiter.countAddress(context.address, weight);
  await rateLimiter.countCaller(admitted.caller, weight);
}
