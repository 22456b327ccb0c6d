import type { Caller } from '../identity/caller.ts';
import type { GraphRequest, RequestContext } from '../request/context.ts';
import { executePlan, type ExecutionContext } from '../execution/execute-plan.ts';
import type { ExecutionResult } from '../plan/execution-result.ts';
import type { OperationPlan } from '../plan/operation-plan.ts';
import type { Variables } from '../operation/document/variables.ts';
import { admitOperation } from './admit-operation.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import { OperationClock, type AnswerReport } from './answer-extensions.ts';
import { answerInParts } from './answer-in-parts.ts';
import { CallerPlanningAccount } from './caller-planning-account.ts';
import { NO_VARIABLES } from '../operation/document/coerce-variables.ts';
import { enforceSubgraphCalls } from '../operation/limits/enforce-limits.ts';
import { withIdempotencyKey } from '../subgraphs/idempotency-key.ts';
import type { OperationAnswer, PipelineAnswer } from './operation-answer.ts';
import { recordDemand } from './record-demand.ts';
import { respond, respondToFailure } from './respond.ts';
import { cachedExecutionOf, invalidateWritten, type CachedExecution } from './response-caching.ts';
import type { PipelineServices } from './services.ts';
import { WholeAnswer } from './whole-answer.ts';

/**
 * A request's way through the gateway, the same for every transport:
 *
 *     place             among those that are answered now    OVERLOADED, RATE_LIMITED
 *     rate              of the address                       RATE_LIMITED
 *     persisted query   hash → text                          PERSISTED_QUERY_…
 *     budget            of the caller, where the text is new RATE_LIMITED
 *     parse             text → document, remembered          GRAPHQL_PARSE_ERROR
 *     protect           expanded selections, overlaps        QUERY_TOO_COMPLEX
 *     validate          document → no errors, remembered     GRAPHQL_VALIDATION_FAILED
 *     text limits       depth, aliases, …, remembered        QUERY_TOO_COMPLEX
 *     variables         by their declared types              BAD_USER_INPUT
 *     cost              with these variables                 QUERY_TOO_COMPLEX
 *     rate              of the address, by root fields       RATE_LIMITED
 *     authenticate      Authorization → caller               UNAUTHENTICATED
 *     rate              of the user and the client           RATE_LIMITED
 *     authorize         fields the caller may not see        UNAUTHENTICATED, FORBIDDEN on those fields
 *     plan              operation → plan, remembered         QUERY_TOO_COMPLEX, RATE_LIMITED
 *     keep              query → answer, where one is kept for those who ask
 *     execute           plan → result, or its first part
 *     respond           result → what clients are shown
 *
 * A subscription, and a query that is to be kept live, is handed over as a stream after it has been let in: each of its
 * results is planned, executed and shown in the same way. It never rejects: what goes wrong is in `errors`. Parts that come later never reject either.
 */
export function runOperation(
  request: GraphRequest,
  context: RequestContext,
  services: PipelineServices,
): Promise<PipelineAnswer> {
  const { traceOperation } = services;
  if (!traceOperation) return answerOperation(request, context, services);
  return traceOperation(context, () => answerOperation(request, context, services));
}

async function answerOperation(
  request: GraphRequest,
  context: RequestContext,
  services: PipelineServices,
): Promise<PipelineAnswer> {
  let admitted: AdmittedOperation | undefined;
  const clock = services.answerPolicy.shows.timings ? new OperationClock() : undefined;
  try {
    context.enter?.(); // before anything is done for it
    admitted = await admitOperation(request, context, services);
    clock?.lap('admissionMs');
    if (isStreamed(admitted, context))
      return { kind: 'stream', stream: await services.streams.open(admitted, context), admitted };
    return await planAndExecute(admitted, context, services, clock);
  } catch (error) {
    return respondToFailure(error, admitted, context.requestId, services);
  }
}

/** `@live` has no effect where the transport can't carry a stream: then the query is answered once. */
function isStreamed({ operation, decided }: AdmittedOperation, { accepts }: RequestContext): boolean {
  if (operation.kind === 'subscription') return true;
  return (accepts === 'any' || accepts === 'query-subscription') && decided.isLive;
}

async function planAndExecute(
  admitted: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
  clock: OperationClock | undefined,
): Promise<PipelineAnswer> {
  const { supergraph, operation, variables, decided, caller, denied, extensions } = admitted;
  const { document, documentHash, name: operationName } = operation;
  const told = operation.kind === 'mutation' ? withIdempotencyKey(context, extensions) : context;
  const planned = services.planner.planOperation(
    {
      supergraph,
      document,
      documentHash,
      operationName,
      decided,
      denied,
      incremental: context.takesParts,
      account: new CallerPlanningAccount(caller, context.address, services),
    },
    context.signal,
  );
  const plan = planned instanceof Promise ? await planned : planned;
  clock?.lap('planningMs');
  enforceSubgraphCalls(plan.subgraphCalls, services.limits);
  const cached = plan.isDeferred ? undefined : cachedExecutionOf(plan, admitted, context, services);
  const execution = {
    variables,
    headersFor: services.headersForSubgraphs.of(told, cached?.asked ?? caller),
    subgraphClient: services.subgraphClient,
    introspector: services.planner,
    sharedBy: services.shares.of(caller, context.address),
    maxCalls: services.limits.subgraphCalls,
    signal: context.signal,
  };
  if (plan.isDeferred) return answerInParts(plan, execution, admitted, context, services, clock);
  const result = cached
    ? await executeUnlessKept(plan, execution, cached, services)
    : await execute(plan, execution, admitted, context, services);
  clock?.lap('executionMs');
  recordDemand(result.objects, admitted, context, services);
  return respondWhole(result, admitted, context, services, {
    plan,
    clock,
    objects: result.objects,
  });
}

async function executeUnlessKept(
  plan: OperationPlan,
  execution: ExecutionContext,
  { query }: CachedExecution,
  { executionGate, responseCaching }: PipelineServices,
): Promise<ExecutionResult> {
  const run = (): Promise<ExecutionResult> =>
    executionGate.run(() => executePlan(plan, execution), execution.signal, execution.sharedBy);
  return responseCaching ? responseCaching.cache.answer(query, run) : run();
}

/** Queries that are the same for subgraphs, and arrive together, are executed once. */
function execute(
  plan: OperationPlan,
  execution: ExecutionContext,
  { variables, caller }: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
): Promise<ExecutionResult> {
  const { executionGate, sharedExecutions, headersForSubgraphs } = services;
  const { signal } = context;
  const run = (): Promise<ExecutionResult> =>
    executionGate.run(() => executePlan(plan, execution), signal, execution.sharedBy);
  if (plan.kind !== 'query') return runMutation(plan, run, caller, services);
  const told = `${textOf(variables)} ${headersForSubgraphs.identityOf(context, caller)}`;
  return sharedExecutions.execute(plan, told, signal, run);
}

/** Most operations have none. */
function textOf(variables: Variables): string {
  return variables === NO_VARIABLES ? '' : JSON.stringify(variables);
}

async function runMutation(
  plan: OperationPlan,
  run: () => Promise<ExecutionResult>,
  caller: Caller,
  services: PipelineServices,
): Promise<ExecutionResult> {
  let result: ExecutionResult | undefined;
  try {
    result = await run();
    return result;
  } finally {
    await invalidateWritten(plan, result, caller, services);
  }
}

function respondWhole(
  result: ExecutionResult,
  admitted: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
  report: AnswerReport,
): OperationAnswer {
  const { body } = result;
  const { maxCharacters, showsAny } = services.answerPolicy;
  // Never fewer bytes than characters: near the limit, characters are counted.
  if (body && !showsAny && body.length <= maxCharacters) return new WholeAnswer(result, body, admitted);
  return respond(result, admitted, context.requestId, services, report);
}
