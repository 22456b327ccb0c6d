import { OAuthError } from '../errors.ts';

/** Seconds after which a client may try again. */
const RETRY_AFTER_S = 5;

/** Codes of sockets, and classes of SQLSTATE for lost connections, lack of resources and intervention of an operator. */
const SOCKET_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
const SQL_STATES = /^(08|53|57)[0-9A-Z]{3}$/;

/** Messages of ioredis, node-postgres and Redis for a server that is unavailable, starting, switching over or full. */
const MESSAGES =
  /^(Command timed out|Connection is closed|Connection terminated|Reached the max retries per request|timeout exceeded when trying to connect|Failed to refresh slots cache|Cluster isn't ready|Query read timeout|LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|OOM|TRYAGAIN|MISCONF)/;

/**
 * The response to a failure that comes from an unavailable store: 503 with Retry-After. Undefined for other errors,
 * which are defects.
 */
export function outageOf(error: unknown): OAuthError | undefined {
  if (!isOutage(error)) return undefined;
  return new OAuthError(
    'temporarily_unavailable',
    'The service is not available at this moment. Try again.',
    {
      headers: { 'retry-after': String(RETRY_AFTER_S) },
      cause: error,
    },
  );
}

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (SOCKET_CODES.test(code) || SQL_STATES.test(code) || MESSAGES.test(error.message)) return true;
  return error instanceof AggregateError && error.errors.some(isOutage);
}
