import { randomUUID } from 'node:crypto';
import { unwrapResolverError } from '@apollo/server/errors';
import type { Logger } from '@trellis/runtime';
import { graphErrorCodes, type GraphErrorCode } from '@trellis/subgraph-protocol';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

/** Formats one error of a response; Apollo Server's `formatError`. */
export type ErrorFormatter = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/** Codes of Apollo Server that the graph spells otherwise. */
const CODES: ReadonlyMap<unknown, GraphErrorCode> = new Map([
  ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_PARSE_ERROR'],
  ['OPERATION_RESOLUTION_FAILURE', 'GRAPHQL_VALIDATION_FAILED'],
  ['BAD_REQUEST', 'GRAPHQL_VALIDATION_FAILED'],
  ['PERSISTED_QUERY_NOT_SUPPORTED', 'GRAPHQL_VALIDATION_FAILED'],
]);

/**
 * Gives each error a code of the graph, and replaces the text of every error that was not written for clients: what went
 * wrong is logged whole, and the response carries `extensions.incident` to find it by. See docs/errors.md#the-graph.
 */
export function createErrorFormatter(logger: Logger): ErrorFormatter {
  return (formatted, error) => {
    const code = codeOf(error);
    return code ? exposed(formatted, code) : masked(formatted, error, logger);
  };
}

/** The code that the error was made with; undefined for unexpected errors. */
function codeOf(error: unknown): GraphErrorCode | undefined {
  const [outer, thrown] = [error, innermost(error)];
  const written = explicitCode(thrown) ?? explicitCode(outer);
  const code = CODES.get(written) ?? written;
  return typeof code === 'string' && Object.hasOwn(graphErrorCodes, code)
    ? (code as GraphErrorCode)
    : undefined;
}

/** A scalar that rejects a value says so itself; graphql-js and Apollo Server wrap what it throws. */
function innermost(error: unknown): unknown {
  const unwrapped = unwrapResolverError(error);
  const inner = unwrapped instanceof GraphQLError ? unwrapped.originalError : undefined;
  return inner instanceof GraphQLError && explicitCode(inner) !== undefined ? inner : unwrapped;
}

function explicitCode(error: unknown): unknown {
  return error instanceof GraphQLError ? error.extensions['code'] : undefined;
}

function exposed(formatted: GraphQLFormattedError, code: GraphErrorCode): GraphQLFormattedError {
  const field = code === 'BAD_USER_INPUT' ? fieldOfVariable(formatted.message) : undefined;
  return { ...formatted, extensions: { ...(field && { field }), ...formatted.extensions, code } };
}

/** graphql-js says only in the message which variable, or which field of it, it could not read. */
function fieldOfVariable(message: string): string | undefined {
  const variable = /^Variable "\$(\w+)"/.exec(message)?.[1];
  return variable && (/ at "([^"]+)"; /.exec(message)?.[1] ?? variable);
}

function masked(formatted: GraphQLFormattedError, error: unknown, logger: Logger): GraphQLFormattedError {
  const incident = randomUUID();
  logger.error({ err: unwrapResolverError(error), path: formatted.path, incident }, 'a resolver failed');
  const { stacktrace } = formatted.extensions ?? {};
  const code: GraphErrorCode = 'INTERNAL_SERVER_ERROR';
  return {
    ...formatted,
    message: graphErrorCodes[code].summary,
    extensions: { code, incident, ...(stacktrace !== undefined && { stacktrace }) },
  };
}
