import { GraphQLError } from 'graphql';
import type { GraphErrorCode } from './graph-error-codes.ts';

/** What accompanies a client error. */
export interface ClientErrorOptions {
  /** More members of `extensions`. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Logged, never sent. */
  readonly cause?: Error;
}

/** An error whose message is made for the client that sent the request. */
export function clientError(
  code: GraphErrorCode,
  message: string,
  options: ClientErrorOptions = {},
): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code, ...options.extensions },
    originalError: options.cause,
  });
}

/**
 * An argument that fails validation. See docs/errors.md#the-graph.
 *
 * @param field the argument or input field, dotted: `input.title`
 * @param invalidValue what was sent
 */
export function badUserInput(message: string, field: string, invalidValue: unknown): GraphQLError {
  return clientError('BAD_USER_INPUT', message, {
    extensions: { field, invalidValue: invalidValue ?? null },
  });
}

/** No token, or none that is valid here. */
export function unauthenticated(
  message = 'This needs a valid access token. Send it as "Authorization: Bearer …".',
): GraphQLError {
  return clientError('UNAUTHENTICATED', message);
}

/** The caller is known and lacks the right. */
export function forbidden(message = 'You may not do this.'): GraphQLError {
  return clientError('FORBIDDEN', message);
}
