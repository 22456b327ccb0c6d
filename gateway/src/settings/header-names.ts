/** The header with the milliseconds that the gateway will wait for its response. */
export const TIMEOUT_HEADER = 'trellis-timeout-ms';

/** What every request to a subgraph says. */
export const REQUEST_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/graphql-response+json, application/json;q=0.9',
};

/** The header that names a request, towards clients and subgraphs. */
export const REQUEST_ID_HEADER = 'x-request-id';
