import type { GraphQLError, GraphQLFormattedError } from 'graphql';

/** What clients are shown of errors. */
export interface ErrorPolicy {
  /** Whether the text and the stack of internal failures are shown: in development only. Specification: Errors 2. */
  readonly exposeInternals: boolean;
}

const MAX_ERRORS = 100;
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_LOCATIONS = 5;
const INTERNAL_MESSAGE = 'Internal server error.';

/** Members of `extensions` that clients are shown; whatever else a subgraph writes there stays inside. */
const SHOWN_EXTENSIONS = ['code', 'field', 'invalidValue', 'limit', 'retryAfterS'] as const;

/**
 * Turns errors into what clients are shown: texts of bounded length, the documented extensions alone, and for internal
 * failures nothing but the request id that finds them in the log.
 */
export function formatErrors(
  errors: readonly GraphQLError[],
  requestId: string,
  policy: ErrorPolicy,
): readonly GraphQLFormattedError[] {
  return errors.slice(0, MAX_ERRORS).map((error) => formatError(error, requestId, policy));
}

/** Whether an error is a failure of ours or of a subgraph, and not of the request. */
export function isInternal(error: GraphQLError): boolean {
  const { code } = error.extensions;
  return typeof code !== 'string' || code === 'INTERNAL_SERVER_ERROR';
}

function formatError(error: GraphQLError, requestId: string, policy: ErrorPolicy): GraphQLFormattedError {
  const internal = isInternal(error);
  const hidden = internal && !policy.exposeInternals;
  return {
    message: hidden ? INTERNAL_MESSAGE : shorten(error.message),
    ...(error.locations && { locations: error.locations.slice(0, MAX_LOCATIONS) }),
    ...(error.path && { path: error.path }),
    extensions: internal ? internalExtensions(error, requestId, policy) : shownExtensions(error),
  };
}

function shownExtensions(error: GraphQLError): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of SHOWN_EXTENSIONS) {
    if (Object.hasOwn(error.extensions, name)) shown[name] = error.extensions[name];
  }
  return shown;
}

function internalExtensions(
  error: GraphQLError,
  requestId: string,
  { exposeInternals }: ErrorPolicy,
): Record<string, unknown> {
  const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId };
  return exposeInternals ? { ...extensions, stacktrace: stackOf(error) } : extensions;
}

/** The stack of the subgraph where it sent one, else our own. */
function stackOf(error: GraphQLError): readonly string[] {
  const { stacktrace } = error.extensions;
  if (Array.isArray(stacktrace)) return stacktrace.map(String);
  return (error.originalError?.stack ?? error.stack ?? '').split('\n');
}

function shorten(message: string): string {
  return message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`;
}
