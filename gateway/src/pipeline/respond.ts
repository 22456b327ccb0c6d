import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { gatewayErrorCodes, rejected, RequestError } from '../errors.ts';
import type { SubgraphCaching } from '../plan/execution-result.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import { extensionsOf, type ResultReport } from './result-extensions.ts';
import { cachePolicyOf } from './cache-policy-of.ts';
import { formatErrors, isInternal, isRedacted } from './format-errors.ts';
import type { OperationResult } from './operation-result.ts';
import type { PipelineServices } from './services.ts';

/** What was executed, or its first part: data as a tree or as text. */
export interface Executed {
  readonly data?: unknown;
  readonly dataText?: string | undefined;
  readonly errors?: readonly GraphQLError[] | undefined;
  /** For the log alone. */
  readonly untold?: readonly GraphQLError[] | undefined;
  readonly caching?: SubgraphCaching | undefined;
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
  const { errors: thrown = [], caching } = executed;
  const dataText = executed.dataText ?? JSON.stringify(executed.data); // a tree that is not asked for is not made
  if (dataText.length > services.responsePolicy.maxCharacters)
    throw rejected('RESPONSE_TOO_LARGE', gatewayErrorCodes.RESPONSE_TOO_LARGE.summary);
  const shown = showErrors(thrown, requestId, services, executed.untold);
  const errors = services.errorPolicy.exposeInternals ? explainDenials(shown, admitted) : shown;
  const extensions = extensionsOf(admitted, report, services);
  const cachePolicy = cachePolicyOf({ caching }, admitted);
  return { kind: 'single', data: dataText, errors, extensions, cachePolicy, admitted };
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
 * @param untold errors that clients are not shown
 */
export function showErrors(
  errors: readonly GraphQLError[],
  requestId: string,
  { errorPolicy, observer }: PipelineServices,
  untold: readonly GraphQLError[] = [],
): readonly GraphQLFormattedError[] {
  if (errors.length === 0 && untold.length === 0) return [];
  const internal = errors.filter(isInternal);
  for (const error of internal.slice(0, MAX_REPORTED)) observer.internalError(requestId, error);
  const shown = formatErrors(errors, requestId, errorPolicy);
  const rest = [
    ...internal.slice(MAX_REPORTED),
    ...errors.filter((error, index) => !isInternal(error) && (index >= shown.length || isRedacted(error))),
    ...untold,
  ];
  if (rest.length > 0) observer.furtherErrors(requestId, rest);
  return shown;
}
