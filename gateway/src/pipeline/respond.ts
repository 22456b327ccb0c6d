import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { WholeBody } from '@trellis/http1';
import { gatewayErrorCodes, isGatewayErrorCode, rejected, RequestError } from '../errors.ts';
import type { SubgraphCaching, ExecutionResult } from '../plan/response-body.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import { formatErrors, isInternal, isRedacted } from './format-errors.ts';
import type { ForwardedHeaders } from '../plan/forwarded-headers.ts';
import type { OperationResult } from './operation-result.ts';
import type { PipelineServices } from './services.ts';
import { NOT_CACHEABLE, strictest, type CachePolicy } from '../caching/cache-policy.ts';
import type { Plan } from '../plan/plan.ts';
import { describeFields } from './describe-fields.ts';
import { describePlan } from './describe-plan.ts';

/** What was executed, or its first part: data as a tree or as text. */
export interface Executed {
  readonly data?: unknown;
  readonly dataText?: string | undefined;
  readonly errors?: readonly GraphQLError[] | undefined;
  /** For the log alone. */
  readonly unreported?: readonly GraphQLError[] | undefined;
  readonly caching?: SubgraphCaching | undefined;
  readonly headers?: ForwardedHeaders | undefined;
}

/**
 * Stage: result → what clients are shown.
 *
 * @throws RequestError RESPONSE_TOO_LARGE
 */
export function respond(
  executed: Executed,
  admitted: AdmittedOperation,
  requestId: string,
  services: PipelineServices,
  report?: ResultReport,
): OperationResult {
  const { errors: thrown = [], headers } = executed;
  const dataText = executed.dataText ?? JSON.stringify(executed.data); // a tree that is not asked for is not made
  if (dataText.length > services.responsePolicy.maxCharacters)
    throw rejected('RESPONSE_TOO_LARGE', gatewayErrorCodes.RESPONSE_TOO_LARGE.summary);
  const shown = showErrors(thrown, requestId, services, executed.unreported);
  const errors = services.errorPolicy.exposeInternals ? explainDenials(shown, admitted) : shown;
  const extensions = extensionsOf(admitted, report, services);
  const cachePolicy = cachePolicyOf(executed, admitted);
  return { kind: 'single', data: dataText, errors, extensions, cachePolicy, headers, admitted };
}

/** In development: a denial may come of a path that finds no scopes or roles where there are some. */
function explainDenials(
  errors: readonly GraphQLFormattedError[],
  { caller: { absentClaims = [] } }: Pick<AdmittedOperation, 'caller'>,
): readonly GraphQLFormattedError[] {
  if (absentClaims.length === 0) return errors;
  const settings = absentClaims.map((kind) => `authentication.issuers[].claims.${kind}`).join(' and ');
  return errors.map((error) =>
    error.extensions?.['code'] === 'FORBIDDEN'
      ? { ...error, message: `${error.message} The paths of ${settings} find nothing in the access token.` }
      : error,
  );
}

/** A rejection is made for the client; an error with a code likewise; anything else is a failure of ours. */
export function respondToFailure(
  failure: unknown,
  admitted: AdmittedOperation | undefined,
  requestId: string,
  services: PipelineServices,
): OperationResult {
  const errors = showErrors(errorsOf(failure), requestId, services);
  return { kind: 'single', data: undefined, errors, admitted };
}

/** The errors behind whatever was thrown. */
export function errorsOf(failure: unknown): readonly GraphQLError[] {
  if (failure instanceof RequestError) return failure.errors;
  if (failure instanceof GraphQLError) return [failure];
  const originalError = failure instanceof Error ? failure : new Error(String(failure));
  return [new GraphQLError(originalError.message, { originalError })];
}

/** Internal failures of one request that are reported: a list whose elements all fail is one failure in the log. */
const MAX_REPORTED = 10;

/**
 * Reports what failed inside, and turns errors into what clients are shown.
 *
 * @param unreported errors that clients are not shown
 */
export function showErrors(
  errors: readonly GraphQLError[],
  requestId: string,
  { errorPolicy, observer }: PipelineServices,
  unreported: readonly GraphQLError[] = [],
): readonly GraphQLFormattedError[] {
  if (errors.length === 0 && unreported.length === 0) return [];
  const internal = errors.filter(isInternal);
  for (const error of internal.slice(0, MAX_REPORTED)) observer.internalError(requestId, error);
  const shown = formatErrors(errors, requestId, errorPolicy);
  const rest = [
    ...internal.slice(MAX_REPORTED),
    ...errors.filter((error, index) => !isInternal(error) && (index >= shown.length || isRedacted(error))),
    ...unreported,
  ];
  if (rest.length > 0) observer.furtherErrors(requestId, rest);
  return shown;
}

/** A response as JSON text. Errors come first, so that a reader of the text sees them. GraphQL specification, "Response Format". */
export function writeResult({
  data,
  errors,
  extensions,
}: Pick<OperationResult, 'data' | 'errors' | 'extensions'>): string {
  const tail = extensions ? `,"extensions":${JSON.stringify(extensions)}}` : '}';
  if (errors.length === 0) return `{"data":${data ?? 'null'}${tail}`;
  const text = JSON.stringify(errors);
  return data === undefined ? `{"errors":${text}${tail}` : `{"errors":${text},"data":${data}${tail}`;
}

/**
 * How an operation ended, as one of few values: `OK`, `PARTIAL` where some data is missing, else the code of the first error. Reads no
 * data where no error has a code: of a large response its text would be made for it.
 */
export function operationOutcome(result: Pick<OperationResult, 'errors' | 'data'>): string {
  const code = result.errors[0]?.extensions?.['code'];
  if (code === undefined) return 'OK';
  const known = isGatewayErrorCode(code) ? code : 'OTHER';
  return result.data === undefined || result.data === 'null' ? known : 'PARTIAL';
}

/** A batch of responses as JSON text, in the order of the requests. */
export function writeBatch(results: readonly OperationResult[]): string {
  return `[${results.map(writeResult).join(',')}]`;
}

/**
 * How long a response may be stored: the strictest of what the schema says of the operation's fields and of what the subgraphs
 * said with their responses. Where the schema has no hints, a subgraph that says nothing forbids. What comes with headers of
 * subgraphs is for its client alone.
 */
export function cachePolicyOf(
  { caching, headers }: Pick<ExecutionResult, 'caching' | 'headers'>,
  { cacheHints }: AdmittedOperation,
): CachePolicy {
  if (!caching || headers) return NOT_CACHEABLE;
  const { policy, hasUndated } = caching;
  if (hasUndated && !Number.isFinite(cacheHints.maxAgeS)) return NOT_CACHEABLE;
  return policy ? strictest(cacheHints, policy) : cacheHints;
}

/** How an operation came to its response, as far as an operator lets clients see it. */
export interface ResultReport {
  readonly plan: Plan;
  /** Absent where the client gets none. */
  readonly clock: OperationClock | undefined;
  /** Of the response, or of its first part; absent where nothing was executed. */
  readonly objects: number | undefined;
}

/** Milliseconds of each stage. */
export class OperationClock {
  #lastMs: number = performance.now();
  readonly #stages: Record<string, number> = {};

  /** A stage is over. */
  lap(stage: 'admissionMs' | 'planningMs' | 'executionMs'): void {
    const nowMs = performance.now();
    this.#stages[stage] = Math.round((nowMs - this.#lastMs) * 1_000) / 1_000;
    this.#lastMs = nowMs;
  }

  get stages(): Readonly<Record<string, number>> {
    return this.#stages;
  }
}

/** What the operator lets clients see beside the response; nothing by default. */
function extensionsOf(
  admitted: AdmittedOperation,
  report: ResultReport | undefined,
  {
    responsePolicy,
    limits,
    operationCacheOf,
  }: Pick<PipelineServices, 'responsePolicy' | 'limits' | 'operationCacheOf'>,
): Readonly<Record<string, unknown>> | undefined {
  const { showsAny, shows, explanation } = responsePolicy;
  if (!showsAny) return undefined;
  return {
    ...(shows.cost && { cost: costOf(admitted, limits.cost, report?.objects) }),
    ...(shows.plan && report && { plan: describePlan(report.plan, explanation) }),
    ...(shows.timings && report?.clock && { timings: report.clock.stages }),
    ...(explanation?.kind === 'schema' && {
      fields: describeFields(admitted, operationCacheOf(admitted.supergraph).costs),
    }),
  };
}

/** An unlimited cost has no number in JSON. */
function costOf(
  { cost }: AdmittedOperation,
  limit: number,
  objects: number | undefined,
): Readonly<Record<string, number | null>> {
  return {
    estimate: Math.min(cost, Number.MAX_SAFE_INTEGER),
    limit: Number.isFinite(limit) ? limit : null,
    ...(objects !== undefined && { objects }),
  };
}

/** A response that is nothing but data, as bytes: its text is only made where a transport asks for it. */
export class WholeResult implements OperationResult {
  readonly kind = 'single';
  readonly errors: OperationResult['errors'] = [];
  readonly body: WholeBody;
  readonly admitted: AdmittedOperation;
  readonly #result: ExecutionResult;

  constructor(result: ExecutionResult, body: WholeBody, admitted: AdmittedOperation) {
    this.#result = result;
    this.body = body;
    this.admitted = admitted;
  }

  get cachePolicy(): CachePolicy {
    return cachePolicyOf(this.#result, this.admitted);
  }

  get headers(): ForwardedHeaders | undefined {
    return this.#result.headers;
  }

  get data(): string {
    return this.#result.dataText ?? JSON.stringify(this.#result.data);
  }
}
