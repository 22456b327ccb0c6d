import type { TestGateway } from './test-gateway.ts';

/** How a query is sent, and where to, if elsewhere. */
export interface Sending {
  readonly accept?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly to?: TestGateway;
}

/** Sends a query by POST. @returns before the body has arrived */
export function sendQuery(
  gateway: TestGateway,
  query: string,
  { accept, variables, signal, headers, to = gateway }: Sending,
): Promise<Response> {
  return fetch(`${to.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(accept !== undefined && { accept }), ...headers },
    body: JSON.stringify({ query, variables }),
    ...(signal && { signal }),
  });
}
