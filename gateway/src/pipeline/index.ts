import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { GraphRequest, RequestContext } from '../context.ts';
import { gatewayErrorCodes, refused, RequestRefused } from '../errors.ts';
import { executePlan } from '../execution/execute-plan.ts';
import type { ExecutionResult } from '../execution/execution-result.ts';
import { admitOperation, type AdmittedOperation } from './admit-operation.ts';
import { formatErrors, isInternal } from './format-errors.ts';
import type { PipelineServices } from './services.ts';

/** What a client is answered. */
export interface OperationAnswer {
  /** The data as JSON text; `null` where an error reached the root; absent where the operation was not executed. */
  readonly data: string | undefined;
  /** Empty where there are none. */
  readonly errors: readonly GraphQLFormattedError[];
  /** What the operator lets clients see beside the answer; absent where that is nothing. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** What ran, for logs and metrics; absent where the request did not get that far. */
  readonly admitted: AdmittedOperation | undefined;
}

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
 *     execute           plan → result
 *     respond           result → what clients are shown
 *
 * It never rejects: what goes wrong is in `errors`.
 */
export async function runOperation(
  request: GraphRequest,
  context: RequestContext,
  services: PipelineServices,
): Promise<OperationAnswer> {
  let admitted: AdmittedOperation | undefined;
  try {
    admitted = await admitOperation(request, context, services);
    const result = await planAndExecute(admitted, context, services);
    return respond(result, admitted, context, services);
  } catch (error) {
    return respondToFailure(error, admitted, context, services);
  }
}

async function planAndExecute(
  { supergraph, operation, variables, caller, denied }: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
): Promise<ExecutionResult> {
  const { document, documentHash, name: operationName } = operation;
  const plan = await services.planner.planOperation(
    { supergraph, document, documentHash, operationName, variables, denied },
    context.signal,
  );
  return executePlan(plan, {
    variables,
    headersFor: services.headersForSubgraphs(context, caller),
    subgraphClient: services.subgraphClient,
    signal: context.signal,
  });
}

function respond(
  result: ExecutionResult,
  admitted: AdmittedOperation,
  context: RequestContext,
  services: PipelineServices,
): OperationAnswer {
  const data = result.dataText ?? JSON.stringify(result.data);
  if (data.length > services.answerPolicy.maxCharacters)
    throw refused('RESPONSE_TOO_LARGE', gatewayErrorCodes.RESPONSE_TOO_LARGE.summary);
  const errors = shown(result.errors ?? [], context, services);
  return { data, errors, extensions: extensionsOf(admitted, services), admitted };
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
  return { data: undefined, errors: shown(errorsOf(failure), context, services), admitted };
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
