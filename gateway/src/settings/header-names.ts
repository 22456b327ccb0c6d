/** The header with the milliseconds that the gateway will wait for its response. */
export const TIMEOUT_HEADER = 'trellis-timeout-ms';

/** The header that names a request, towards clients and subgraphs. */
export const REQUEST_ID_HEADER = 'x-request-id';
