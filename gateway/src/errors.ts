import {
  graphErrorCodes,
  type GraphErrorCode,
  type GraphErrorDescription,
} from '@trellis/subgraph-protocol/errors';
import type { ShareRejection } from '@trellis/runtime/admission';
import { GraphQLError } from 'graphql';
import type { LimitName } from './settings/limit-catalogue.ts';

/** A code that only the gateway gives. */
export type GatewayOnlyErrorCode =
  | 'BAD_REQUEST'
  | 'CSRF_PREVENTED'
  | 'METHOD_NOT_ALLOWED'
  | 'MISDIRECTED_REQUEST'
  | 'NOT_ACCEPTABLE'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_MISMATCH'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'PERSISTED_QUERY_REQUIRED'
  | 'CLIENT_RETIRED'
  | 'UPLOAD_OUT_OF_ORDER'
  | 'UPLOAD_MISSING'
  | 'UPLOAD_NOT_FORWARDABLE'
  | 'RESPONSE_TOO_LARGE'
  | 'REQUEST_TIMEOUT'
  | 'GATEWAY_TIMEOUT'
  | 'CLIENT_CLOSED_REQUEST'
  | 'AUTHENTICATION_UNAVAILABLE'
  | 'OVERLOADED'
  | 'RATE_LIMITED'
  | 'TOO_MANY_STREAMS'
  | 'STREAM_NOT_FOUND'
  | 'SUBSCRIPTION_INTERRUPTED'
  | 'SCHEMA_CHANGED'
  | 'SHUTTING_DOWN';

/** A code in `errors[].extensions.code` of the gateway's responses. */
export type GatewayErrorCode = GraphErrorCode | GatewayOnlyErrorCode;

/** What a code of the gateway means over HTTP. */
export interface GatewayErrorDescription extends GraphErrorDescription {
  /**
   * HTTP status of a response without data under `application/json`, where the failures of a well-formed request are
   * answered with 200. Under `application/graphql-response+json` it is `status`.
   */
  readonly jsonStatus: number;
}

/** Every code that the gateway can give, with its HTTP statuses. */
export const gatewayErrorCodes: Readonly<Record<GatewayErrorCode, GatewayErrorDescription>> = Object.freeze({
  GRAPHQL_PARSE_ERROR: { ...graphErrorCodes.GRAPHQL_PARSE_ERROR, jsonStatus: 200 },
  GRAPHQL_VALIDATION_FAILED: { ...graphErrorCodes.GRAPHQL_VALIDATION_FAILED, jsonStatus: 200 },
  UNAUTHENTICATED: { ...graphErrorCodes.UNAUTHENTICATED, jsonStatus: 200 },
  FORBIDDEN: { ...graphErrorCodes.FORBIDDEN, jsonStatus: 200 },
  BAD_USER_INPUT: { ...graphErrorCodes.BAD_USER_INPUT, jsonStatus: 200 },
  QUERY_TOO_COMPLEX: { ...graphErrorCodes.QUERY_TOO_COMPLEX, jsonStatus: 400 },
  EVENTS_MISSED: { ...graphErrorCodes.EVENTS_MISSED, jsonStatus: 200 },
  INTERNAL_SERVER_ERROR: { ...graphErrorCodes.INTERNAL_SERVER_ERROR, jsonStatus: 200 },
  /** The body is not JSON, or not a GraphQL request. */
  BAD_REQUEST: always(400, 'The request is not a GraphQL request.'),
  /** A browser could send the request across origins without asking first. */
  CSRF_PREVENTED: always(400, 'The request could have been forged by a web page.'),
  /** GET is for queries only; everything else is a POST. */
  METHOD_NOT_ALLOWED: always(405, 'The HTTP method does not fit the operation.'),
  /** The header `Host` names none by which the gateway is known: a page of another site may have sent it. */
  MISDIRECTED_REQUEST: always(421, 'The gateway is not known by the host of the request.'),
  /** No media type of the `Accept` header can be served. */
  NOT_ACCEPTABLE: always(406, 'None of the accepted media types can be served.'),
  /** The body, or the parts that grow with it, exceed what is accepted. */
  PAYLOAD_TOO_LARGE: always(413, 'The request body is too large.'),
  /** The body is not `application/json` in UTF-8, or it is compressed. */
  UNSUPPORTED_MEDIA_TYPE: always(415, 'The media type, charset or encoding of the body is not supported.'),
  /** An automatic persisted query is not known here yet: the client sends its text next. */
  PERSISTED_QUERY_NOT_FOUND: {
    status: 400,
    jsonStatus: 200,
    expose: true,
    summary: 'The persisted query is not known; its text is needed.',
  },
  /** The hash of a persisted query is malformed, of another version, or not that of the text. */
  PERSISTED_QUERY_MISMATCH: always(400, 'The hash of the persisted query is not that of its text.'),
  /** Hashes are not served here: the client sends texts from now on. */
  PERSISTED_QUERY_NOT_SUPPORTED: {
    status: 400,
    jsonStatus: 200,
    expose: true,
    summary: 'Persisted queries are not served; the text is needed.',
  },
  /** Only operations of the safelist are served. */
  PERSISTED_QUERY_REQUIRED: always(400, 'Only persisted queries are served here.'),
  /** The version of the client was retired: it has to be updated. */
  CLIENT_RETIRED: always(400, 'This version of the client is not served any more.'),
  /** The parts of a multipart request are not in the order in which they can be passed on. */
  UPLOAD_OUT_OF_ORDER: always(400, 'The parts of the request are out of order.'),
  /** A file of the map did not come. */
  UPLOAD_MISSING: always(400, 'A file of the map is missing.'),
  /** The operation uses a file where it can't be passed on while it arrives. */
  UPLOAD_NOT_FORWARDABLE: always(400, 'The operation uses a file where none can be passed on.'),
  /** The operation was executed, and its response is larger than the operator allows. */
  RESPONSE_TOO_LARGE: always(500, 'The response is too large; ask for less.'),
  /** The request took too long to arrive. */
  REQUEST_TIMEOUT: always(408, 'The request took too long to arrive.'),
  /** The first byte of the response took too long. */
  GATEWAY_TIMEOUT: always(504, 'The response took too long.'),
  /** The client disconnected before the response was there. Seen in logs and metrics only. */
  CLIENT_CLOSED_REQUEST: always(499, 'The client closed the request.'),
  /** The keys of the token's issuer have never been reached, so no token can be judged. */
  AUTHENTICATION_UNAVAILABLE: always(503, 'Access tokens cannot be verified. Retry later.'),
  /** More work than the process can take; the client tries again after `Retry-After`. */
  OVERLOADED: always(503, 'The gateway is at its capacity.'),
  /** A client or user exceeds its rate limit; it tries again after `Retry-After`. */
  RATE_LIMITED: always(429, 'Too many requests.'),
  /** A user or a connection has as many subscriptions or live queries open as it may have. */
  TOO_MANY_STREAMS: always(429, 'Too many subscriptions and live queries are open.'),
  /** No event stream of single connection mode has the token: it has ended, or belongs to another process. */
  STREAM_NOT_FOUND: always(404, 'No event stream has this token.'),
  /** The connection to a subgraph broke and events may have been missed: the client reads again, and subscribes again. */
  SUBSCRIPTION_INTERRUPTED: always(502, 'The subscription was interrupted; events may be missing.'),
  /** The graph was replaced while a stream ran, and has no longer what it asks for. */
  SCHEMA_CHANGED: always(410, 'The graph has changed, and the operation does not fit it any more.'),
  /** The gateway is being stopped: the client subscribes again, and finds another one. */
  SHUTTING_DOWN: always(503, 'The gateway is being stopped.'),
});

function always(status: number, summary: string): GatewayErrorDescription {
  return { status, jsonStatus: status, expose: true, summary };
}

/** Whether a value is a code of the catalogue. */
export function isGatewayErrorCode(code: unknown): code is GatewayErrorCode {
  return typeof code === 'string' && Object.hasOwn(gatewayErrorCodes, code);
}

/** Whether a code of the catalogue is one that no subgraph gives. */
export function isGatewayOnlyErrorCode(code: string): boolean {
  return isGatewayErrorCode(code) && !Object.hasOwn(graphErrorCodes, code);
}

/**
 * Ends an operation before it is executed. Each error is fit to be shown to the client that sent it.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly errors: readonly GraphQLError[];

  /** @param errors at least one; the first decides the HTTP status */
  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? 'The request was rejected.');
    this.errors = errors;
  }
}

/** Rejects a request for one reason. */
export function rejected(
  code: GatewayErrorCode,
  message: string,
  extensions: Readonly<Record<string, unknown>> = {},
): RequestError {
  return withoutStack(
    () => new RequestError([new GraphQLError(message, { extensions: { code, ...extensions } })]),
  );
}

/** The stack of a rejection is not read, and under a flood of them it would cost more than all the rest. */
function withoutStack<T>(make: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Seconds after which a client may retry that was rejected under load. */
const RETRY_AFTER_S = 1;

/** The process has more to do than it can. */
export function overloaded(): RequestError {
  return rejected('OVERLOADED', gatewayErrorCodes.OVERLOADED.summary, { retryAfterS: RETRY_AFTER_S });
}

/** An access token can't be verified now: its issuer is unavailable, or busy with others. */
export function authenticationUnavailable(): RequestError {
  const { summary } = gatewayErrorCodes.AUTHENTICATION_UNAVAILABLE;
  return rejected('AUTHENTICATION_UNAVAILABLE', summary, { retryAfterS: RETRY_AFTER_S });
}

/** The caller has as many requests in flight as its share allows while others wait. */
export function overShare(): RequestError {
  const message = `${gatewayErrorCodes.RATE_LIMITED.summary} This network has as many requests in flight as it may have. Send fewer at a time, or retry in ${RETRY_AFTER_S} s.`;
  return rejected('RATE_LIMITED', message, { retryAfterS: RETRY_AFTER_S });
}

/** Large requests in flight would exceed the share of their caller, or what the process can hold. */
export function heldTooMuch(reason: ShareRejection): RequestError {
  if (reason === 'total') return overloaded();
  const message = `${gatewayErrorCodes.RATE_LIMITED.summary} This network has as many bytes of large requests in flight as it may have. Send fewer or smaller ones at a time, or retry in ${RETRY_AFTER_S} s.`;
  return rejected('RATE_LIMITED', message, { retryAfterS: RETRY_AFTER_S });
}

/**
 * A user, a network or a connection has as many streams open as it may have.
 *
 * @param limit a sentence that says how many
 */
export function tooManyStreams(limit: string): RequestError {
  return rejected('TOO_MANY_STREAMS', `${limit} End some, then try again.`, { retryAfterS: RETRY_AFTER_S });
}

/** The client disconnected, or ended an operation. It is never shown. */
export const CLIENT_CLOSED: RequestError = rejected(
  'CLIENT_CLOSED_REQUEST',
  gatewayErrorCodes.CLIENT_CLOSED_REQUEST.summary,
);

/** The operation exceeds a limit. No subgraph request was sent. See docs/errors.md#limits. */
export function tooComplex(name: LimitName, maximum: number, actual: number): RequestError {
  const limit = { name, maximum, actual: Math.min(actual, Number.MAX_SAFE_INTEGER) };
  return rejected('QUERY_TOO_COMPLEX', `The operation exceeds the limit "${name}" of ${maximum}.`, { limit });
}
