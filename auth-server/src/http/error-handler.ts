import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { discardBody } from '@trellis/runtime';
import { OAuthError } from '../errors.ts';
import type { AuthServerMetrics } from '../audit/auth-server-metrics.ts';
import { outageOf } from './outage.ts';

/** Writes an error in the form that its reader expects. */
export type ErrorWriter = (error: OAuthError, request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * Turns whatever a route throws into an {@link OAuthError}, logs what the client must not see, and has it written.
 */
export function createErrorHandler(
  metrics: AuthServerMetrics,
  write: ErrorWriter,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown {
  return (thrown, request, reply) => {
    const error = toOAuthError(thrown);
    metrics.errors.inc({ error: error.code });
    logError(error, request);
    if (error.status === 413) discardBody(request, reply);
    reply.status(error.status).headers(error.headers).header('cache-control', 'no-store');
    return write(error, request, reply);
  };
}

/** The response of the endpoints that clients call. RFC 6749 §5.2 */
export const writeJsonError: ErrorWriter = (error, _request, reply) =>
  reply.send({ error: error.code, error_description: error.message });

/** Whatever was thrown as an error of the catalogue. */
export function toOAuthError(thrown: unknown): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  return outageOf(thrown) ?? badRequestOf(thrown) ?? internalError(thrown);
}

/** Rejections of the HTTP server itself: body too large, wrong media type, … */
function badRequestOf(thrown: unknown): OAuthError | undefined {
  const { statusCode: status, code } = thrown as Partial<FastifyError>;
  if (status === undefined || status < 400 || status >= 500) return undefined;
  const description =
    status === 415 ? 'The body must be application/x-www-form-urlencoded.' : 'The request is not acceptable.';
  return new OAuthError('invalid_request', description, { status, detail: code ?? '', redirect: false });
}

function internalError(cause: unknown): OAuthError {
  return new OAuthError('server_error', 'Something failed inside.', { cause });
}

function logError(error: OAuthError, request: FastifyRequest): void {
  const { id: requestId, routeOptions } = request;
  const record = { requestId, error: error.code, detail: error.detail, route: routeOptions.url };
  if (error.status >= 500 && !isBusy(error))
    request.log.error({ ...record, err: error.cause ?? error }, 'request failed');
  else if (error.status === 429) request.log.debug(record, 'request limited');
  else request.log.info(record, 'request rejected');
}

/** Rejected because of load by others: nothing has failed. */
function isBusy({ code, cause }: OAuthError): boolean {
  return code === 'temporarily_unavailable' && cause === undefined;
}
