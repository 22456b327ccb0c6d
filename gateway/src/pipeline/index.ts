import { keyOfBehavior, OperationRun } from './operation-run.ts';
import type { Caller } from '../identity/caller.ts';
import type { GraphRequest, RequestContext } from '../request/context.ts';
import type { ExecutionContext } from '../execution/plan-run.ts';
import { runPlan } from '../execution/run-plan.ts';
import type { ExecutionResult } from '../plan/response-body.ts';
import type { Plan } from '../plan/plan.ts';
import { type Variables, NO_VARIABLES } from '../operation/document/decided-conditions.ts';
import { assertForwardable, assertTakesFiles, executionWithUploads } from './forward-uploads.ts';
import { prepareRequest, CallerPlanningAccount } from './prepare-request.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import { respondIncrementally } from './incremental-operation.ts';
import { enforceSubgraphRequests } from '../operation/limits/enforce-limits.ts';
import type { HeaderDisclosure } from '../subgraphs/header-disclosure.ts';
import { withIdempotencyKey } from '../subgraphs/idempotency-key.ts';
import type { OperationResult, PipelineResult } from './operation-result.ts';
import type { PipelineServices } from './services.ts';
import { type CachedExecution, cachedExecutionOf, invalidateWritten } from './cached-execution.ts';
import { WholeResult } from './respond.ts';

/**
 * Runs a request's operation through the stages of `stages.ts`, the same for every transport. A subscription or a live query is
 * handed over as a stream after it has been admitted: each of its events and ticks is a run of its own. It
 * never rejects: what goes wrong is in `errors`. Parts that come later never reject either.
 */
export function runOperation(
  request: GraphRequest,
  context: RequestContext,
  services: PipelineServices,
): Promise<PipelineResult> {
  const run = new OperationRun('request', context, services);
  const { tracer, generations } = services;
  const responding = tracer
    ? tracer.trace(run, () => respondToOperation(request, context, run))
    : respondToOperation(request, context, run);
  const trial = generations.active?.trial;
  return trial ? trial.observe(run, responding) : responding;
}

async function respondToOperation(
  request: GraphRequest,
  context: RequestContext,
  run: OperationRun,
): Promise<PipelineResult> {
  const usage = isEstimate(run) ? undefined : run.services.usage; // what no one has run, no one uses
  const sinceMs = usage ? performance.now() : 0;
  let result: PipelineResult;
  try {
    run.enter('place');
    context.enter?.(); // before anything is done for it
    const admitted = await prepareRequest(request, context, run);
    run.admitted = admitted;
    run.clock?.lap('admissionMs');
    if (isEstimate(run)) result = await estimate(admitted, context, run);
    else if (!isStreamed(admitted)) result = await planAndExecute(admitted, context, run);
    else {
      run.enter('open stream');
      result = { kind: 'stream', stream: await run.services.streams.open(admitted, context), admitted };
    }
  } catch (error) {
    result = run.fail(error);
  }
  usage?.record(context, result, sinceMs);
  return result;
}

/** Admission has made sure that the transport carries a stream. */
function isStreamed({ operation, decided }: AdmittedOperation): boolean {
  return operation.kind === 'subscription' || decided.isLive;
}

/** Whether only cost and plan are wanted. */
function isEstimate({ services }: OperationRun): boolean {
  return services.responsePolicy.explanation?.kind === 'estimate';
}

/** Plans as if the operation were executed. */
async function estimate(
  admitted: AdmittedOperation,
  context: RequestContext,
  run: OperationRun,
): Promise<OperationResult> {
  run.enter('plan');
  const plan = await planOf(admitted, context, run.services);
  run.clock?.lap('planningMs');
  enforceSubgraphRequests(plan.subgraphRequests, run.services.limits);
  return run.respond({ dataText: 'null', objects: 0 }, admitted, {
    plan,
    clock: run.clock,
    objects: undefined,
  });
}

async function planAndExecute(
  admitted: AdmittedOperation,
  context: RequestContext,
  run: OperationRun,
): Promise<PipelineResult> {
  const { services, clock } = run;
  const { uploads } = context;
  run.enter('plan');
  if (uploads) assertTakesFiles(admitted);
  const forwarded =
    admitted.operation.kind === 'mutation' ? withIdempotencyKey(context, admitted.extensions) : context;
  const planned = planOf(admitted, context, services);
  const plan = planned instanceof Promise ? await planned : planned;
  clock?.lap('planningMs');
  enforceSubgraphRequests(plan.subgraphRequests, services.limits);
  if (plan.isDeferred)
    return respondIncrementally(plan, run.executionOf(admitted, admitted.caller, forwarded), admitted, run);
  if (uploads) assertForwardable(uploads, admitted, plan);
  const { responseCaching, headersForSubgraphs } = services;
  const cached =
    responseCaching && cachedExecutionOf(plan, admitted, context, responseCaching, headersForSubgraphs);
  const executed = run.executionOf(admitted, cached?.asked, forwarded);
  const execution = uploads ? executionWithUploads(uploads, executed) : executed;
  const result = cached
    ? await executeUnlessCached(plan, execution, cached, run)
    : await execute(plan, execution, admitted, context, run);
  clock?.lap('executionMs');
  run.charge(result.objects, admitted);
  return respondWhole(result, admitted, run, plan);
}

function planOf(
  admitted: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
): Plan | Promise<Plan> {
  const { supergraph, operation, decided, caller, denied, onError } = admitted;
  const account = new CallerPlanningAccount(caller, context.address, services);
  const incremental = context.acceptsIncremental && onError !== 'HALT'; // what was sent can't be taken back
  return services.planner.planOperation(
    { supergraph, operation, decided, denied, incremental, account },
    context.signal,
  );
}

function executeUnlessCached(
  plan: Plan,
  execution: ExecutionContext,
  { query }: CachedExecution,
  run: OperationRun,
): Promise<ExecutionResult> {
  run.enter('response cache');
  const { responseCaching, responsePolicy } = run.services;
  const { explanation } = responsePolicy;
  explanation?.noteResponseCache(plan, 'hit'); // unless it has to be executed
  const begin = (): Promise<ExecutionResult> => {
    explanation?.noteResponseCache(plan, 'miss');
    return run.gated(execution, (context) => runPlan(plan, context));
  };
  return responseCaching ? responseCaching.cache.response(query, begin) : begin();
}

/**
 * Queries that are the same for subgraphs, and arrive together, are executed once; not where a subgraph may set a cookie for
 * one of those who ask.
 */
function execute(
  plan: Plan,
  execution: ExecutionContext,
  { variables, caller, onError }: AdmittedOperation,
  context: RequestContext,
  run: OperationRun,
): Promise<ExecutionResult> {
  const { sharedExecutions, headersForSubgraphs, headerDisclosure } = run.services;
  const begin = (): Promise<ExecutionResult> => run.gated(execution, (executed) => runPlan(plan, executed));
  if (plan.kind !== 'query') return executeMutation(plan, begin, caller, run);
  if (headerDisclosure && isDisclosing(plan, headerDisclosure)) return begin();
  const forwarded = `${textOf(variables)} ${headersForSubgraphs.identityOf(context, caller)}${keyOfBehavior(onError)}`;
  return sharedExecutions.execute(plan, forwarded, execution.signal, begin);
}

function isDisclosing({ subgraphs }: Plan, disclosure: HeaderDisclosure): boolean {
  for (const subgraph of subgraphs) if (disclosure.of(subgraph)) return true;
  return false;
}

/** Most operations have none. */
function textOf(variables: Variables): string {
  return variables === NO_VARIABLES ? '' : JSON.stringify(variables);
}

async function executeMutation(
  plan: Plan,
  begin: () => Promise<ExecutionResult>,
  caller: Caller,
  run: OperationRun,
): Promise<ExecutionResult> {
  let result: ExecutionResult | undefined;
  try {
    result = await begin();
    return result;
  } finally {
    if (result) run.enter('invalidate'); // a mutation that failed ended where it failed
    const { responseCaching } = run.services;
    if (responseCaching) await invalidateWritten(plan, result, caller, responseCaching);
  }
}

function respondWhole(
  result: ExecutionResult,
  admitted: AdmittedOperation,
  run: OperationRun,
  plan: Plan,
): OperationResult {
  const { body, objects } = result;
  const { maxCharacters, showsAny } = run.services.responsePolicy;
  // Never fewer bytes than characters: near the limit, characters are counted.
  if (body && !showsAny && body.length <= maxCharacters) {
    run.enter('respond');
    return new WholeResult(result, body, admitted);
  }
  return run.respond(result, admitted, { plan, clock: run.clock, objects });
}
