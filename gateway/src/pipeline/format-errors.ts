import { own } from '@trellis/runtime/own-property';
import type { ErrorDisclosure } from '../settings/subgraph-errors.ts';
import { SubgraphError } from '../subgraphs/subgraph-failure.ts';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';

/** What clients are shown of errors. */
export interface ErrorPolicy {
  /** Whether the text and the stack of internal failures are shown: in development only. See docs/errors.md#the-graph. */
  readonly exposeInternals: boolean;
}

const MAX_ERRORS = 100;
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_LOCATIONS = 5;
const INTERNAL_MESSAGE = 'Internal server error.';

/** Members of `extensions` that clients are shown, where no operator says more of the subgraph that reports the error. */
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

/** Whether clients see a text in the place of its message. */
export function isRedacted(error: GraphQLError): boolean {
  return disclosureOf(error)?.messages === 'none';
}

/** Whether an error is a failure of ours or of a subgraph, and not of the request. */
export function isInternal(error: GraphQLError): boolean {
  const { code } = error.extensions;
  return typeof code !== 'string' || code === 'INTERNAL_SERVER_ERROR';
}

function formatError(error: GraphQLError, requestId: string, policy: ErrorPolicy): GraphQLFormattedError {
  const disclosure = disclosureOf(error);
  const internal = isInternal(error);
  const shown = disclosure
    ? formatReported(error, disclosure, requestId, policy)
    : {
        message: internal && !policy.exposeInternals ? INTERNAL_MESSAGE : shorten(error.message),
        extensions: internal ? internalExtensions(error, requestId, policy) : shownExtensions(error),
      };
  return {
    message: shown.message,
    ...(error.locations && { locations: error.locations.slice(0, MAX_LOCATIONS) }),
    ...(error.path && { path: error.path }),
    extensions: shown.extensions,
  };
}

/** What an operator wants to be seen of the errors of the subgraph that reports this one; nothing where the defaults hold. */
function disclosureOf({ originalError }: GraphQLError): ErrorDisclosure | undefined {
  return originalError instanceof SubgraphError ? originalError.disclosure : undefined;
}

/** An error of a subgraph by the rules of the operator. Its extensions were picked by them when it was read. */
function formatReported(
  error: GraphQLError,
  { messages, redactedMessage = INTERNAL_MESSAGE }: ErrorDisclosure,
  requestId: string,
  { exposeInternals }: ErrorPolicy,
): Pick<GraphQLFormattedError, 'message'> & { readonly extensions: Readonly<Record<string, unknown>> } {
  const internal = isInternal(error);
  const isShown = messages === 'all' || (messages === 'coded' && (!internal || exposeInternals));
  return {
    message: isShown ? shorten(error.message) : redactedMessage,
    extensions: internal ? { ...error.extensions, requestId } : error.extensions,
  };
}

function shownExtensions(error: GraphQLError): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of SHOWN_EXTENSIONS) {
    const value = own(error.extensions, name);
    if (value !== undefined) shown[name] = value;
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
