import { meros } from 'meros/browser';
import type { GraphResult, ResponsePart } from './graph-result.ts';
import type { OperationRequest } from './operation-request.ts';

/** Where and how requests are sent. */
export interface Sending {
  readonly url: string;
  /** Asked for each request: a token may have been renewed. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly signal: AbortSignal;
}

/** Parts, and a whole response where there are none. */
const ACCEPT =
  'multipart/mixed;deferSpec=20220824, application/graphql-response+json, application/json;q=0.9';

/**
 * Sends an operation, and yields the parts of its response as they arrive: one, unless something is deferred.
 *
 * @throws Error where there is no response of a graph
 */
export async function* runRequest(
  request: OperationRequest,
  { url, headers, signal }: Sending,
): AsyncGenerator<ResponsePart> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...(await headers()), accept: ACCEPT, 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal,
  });
  const parts = await meros<ResponsePart>(response);
  if (parts instanceof Response) yield await readWhole(parts);
  else for await (const part of parts) if (part.json) yield part.body;
}

async function readWhole(response: Response): Promise<GraphResult> {
  const text = await response.text();
  try {
    return JSON.parse(text) as GraphResult; // as GraphQL over HTTP says
  } catch {
    throw new Error(`${response.status} ${response.statusText}`);
  }
}
