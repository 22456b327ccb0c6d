import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { GraphRequest, RequestContext } from '../context.ts';
import { gatewayErrorCodes, refused, RequestRefused } from '../errors.ts';
import { executePlan, type ExecutionContext } from '../execution/execute-plan.ts';
import type { ExecutionResult } from '../execution/execution-result.ts';
import { executeIncrementally } from '../incremental/execute-incrementally.ts';
import type { OperationPlan } from '../planning/operation-plan.ts';
import { admitOperation, type AdmittedOperation } from './admit-operation.ts';
import { shownUpdates } from './answer-in-parts.ts';
import { formatErrors, isInternal } from './format-errors.ts';
import type { OperationAnswer, PipelineAnswer } from './operation-answer.ts';
import type { PipelineServices } from './services.ts';
import { WholeAnswer } from './whole-answer.ts';

/**
 * A request's way through the gateway, the same for every transport:
 *
 *     persisted query   hash → text                          PERSISTED_QUERY_…
 *     parse             text → document, remembered          GRAPHQL_PARSE_ERROR
 *     protect           expanded selections, overlaps        QUERY_TOO_COMPLEX
 *     validate          document → no errors, remembered     GRAPHQL_VALIDATION_FAILED
 *     variables         by their declared types              BAD_USER_INPUT
 *     limits            depth, aliases, cost, …              QUERY_TOO_COMPLEX
 *     rate              of the address                       RATE_LIMITED
 *     authenticate      Authorization → caller               UNAUTHENTICATED
 *     rate              of the user and the client           RATE_LIMITED
 *     authorize         fields the caller may not see        UNAUTHENTICATED, FORBIDDEN on those fields
 *     plan              operation → plan, remembered
 *     execute           plan → result, or its first part
 *     respond           result → what clients are shown
 *
 * It never rejects: what goes wrong is in `errors`. Parts that come later never reject either.
 */
export async function runOperation(
  request: GraphRequest,
  context: RequestContext,
  services: PipelineServices,
): Promise<PipelineAnswer> {
  let admitted: AdmittedOperation | undefined;
  try {
    admitted = await admitOperation(request, context, services);
    return await planAndExecute(admitted, context, services);
  } catch (error) {
    return respondToFailure(error, admitted, context, services);
  }
}

async function planAndExecute(
  admitted: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
): Promise<PipelineAnswer> {
  const { supergraph, operation, variables, caller, denied } = admitted;
  const { document, documentHash, name: operationName } = operation;
  const plan = await services.planner.planOperation(
    { supergraph, document, documentHash, operationName, variables, denied, incremental: context.takesParts },
    context.signal,
  );
  const execution = {
    variables,
    headersFor: services.headersForSubgraphs.of(context, caller),
    subgraphClient: services.subgraphClient,
    signal: context.signal,
  };
  if (plan.isDeferred) return executeInParts(plan, execution, admitted, context, services);
  return respondWhole(
    await execute(plan, execution, admitted, context, services),
    admitted,
    context,
    services,
  );
}

/** Queries that are the same for subgraphs, and arrive together, are executed once. */
function execute(
  plan: OperationPlan,
  execution: ExecutionContext,
  { variables, caller }: AdmittedOperation,
  context: RequestContext,
  { executionGate, sharedExecutions, headersForSubgraphs }: PipelineServices,
): Promise<ExecutionResult> {
  const { signal } = context;
  const run = (): Promise<ExecutionResult> => executionGate.run(() => executePlan(plan, execution), signal);
  if (plan.kind !== 'query') return run();
  const told = `${JSON.stringify(variables)} ${headersForSubgraphs.identityOf(context, caller)}`;
  return sharedExecutions.execute(plan, told, signal, run);
}

function respondWhole(
  result: ExecutionResult,
  admitted: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
): OperationAnswer {
  const { body } = result;
  const { maxCharacters, showCost } = services.answerPolicy;
  // Never fewer bytes than characters: near the limit, characters are counted.
  if (body && !showCost && body.length <= maxCharacters) return new WholeAnswer(result, body, admitted);
  const { dataText = JSON.stringify(result.data), errors = [] } = result;
  return respond({ dataText, errors }, admitted, context, services);
}

async function executeInParts(
  plan: OperationPlan,
  execution: ExecutionContext,
  admitted: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
): Promise<PipelineAnswer> {
  const { initial, pending, updates } = await services.executionGate.run(
    () => executeIncrementally(plan, execution),
    context.signal,
  );
  const answer = respond(initial, admitted, context, services);
  if (pending.length === 0) return answer;
  const policy = {
    maxCharacters: services.answerPolicy.maxCharacters - initial.dataText.length,
    shown: (errors: readonly GraphQLError[]) => shown(errors, context, services),
    errorsOf: (failure: unknown) => shown(errorsOf(failure), context, services),
  };
  return { kind: 'parts', initial: answer, pending, updates: shownUpdates({ pending, updates }, policy) };
}

/** What was executed, or its first part. */
interface WrittenData {
  readonly dataText: string;
  readonly errors: readonly GraphQLError[];
}

function respond(
  { dataText: data, errors }: WrittenData,
  admitted: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
): OperationAnswer {
  if (data.length > services.answerPolicy.maxCharacters)
    throw refused('RESPONSE_TOO_LARGE', gatewayErrorCodes.RESPONSE_TOO_LARGE.summary);
  const extensions = extensionsOf(admitted, services);
  return { kind: 'single', data, errors: shown(errors, context, services), extensions, admitted };
}

/** The estimated cost and the limit, where an operator shows them. An unlimited cost has no number in JSON. */
function extensionsOf(
  { cost }: AdmittedOperation,
  { answerPolicy, limits }: PipelineServices,
): Readonly<Record<string, unknown>> | undefined {
  if (!answerPolicy.showCost) return undefined;
  const limit = Number.isFinite(limits.cost) ? limits.cost : null;
  return { cost: { estimate: Math.min(cost, Number.MAX_SAFE_INTEGER), limit } };
}

/** A refusal is made for the client; an error with a code likewise; anything else is a failure of ours. */
function respondToFailure(
  failure: unknown,
  admitted: AdmittedOperation | undefined,
  context: RequestContext,
  services: PipelineServices,
): OperationAnswer {
  return { kind: 'single', data: undefined, errors: shown(errorsOf(failure), context, services), admitted };
}

function errorsOf(failure: unknown): readonly GraphQLError[] {
  if (failure instanceof RequestRefused) return failure.errors;
  if (failure instanceof GraphQLError) return [failure];
  const originalError = failure instanceof Error ? failure : new Error(String(failure));
  return [new GraphQLError(originalError.message, { originalError })];
}

/** Internal failures of one request that are reported: a list whose elements all fail is one failure to whoever reads the log. */
const MAX_REPORTED = 10;

function shown(
  errors: readonly GraphQLError[],
  { requestId }: RequestContext,
  { errorPolicy, observer }: PipelineServices,
): readonly GraphQLFormattedError[] {
  if (errors.length === 0) return [];
  for (const error of errors.filter(isInternal).slice(0, MAX_REPORTED))
    observer.internalError(requestId, error);
  return formatErrors(errors, requestId, errorPolicy);
}
