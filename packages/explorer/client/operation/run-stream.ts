import { createClient, type RequestParams } from 'graphql-sse';
import type { GraphResult } from './graph-result.ts';
import type { OperationRequest } from './operation-request.ts';
import type { Sending } from './run-request.ts';

/** What becomes of the connection meanwhile. */
export interface StreamObserver {
  /** It was lost, and is opened again. */
  readonly lost: () => void;
  readonly connected: (again: boolean) => void;
}

const MAX_WAIT_MS = 10_000;

/**
 * Sends a subscription or a live query, and yields its results. A connection that is lost is opened again until the user stops; a
 * subscription goes on behind the last event that has come, where its events have ids.
 */
export async function* runStream(
  request: OperationRequest,
  { url, headers, signal }: Sending,
  { lost, connected }: StreamObserver,
): AsyncGenerator<GraphResult> {
  let lastEventId: unknown;
  const client = createClient({
    url: (sent: RequestParams) => {
      if (lastEventId !== undefined) sent.extensions = { ...sent.extensions, lastEventId };
      return url;
    },
    headers,
    retryAttempts: Number.MAX_SAFE_INTEGER,
    retry: (retries) => wait(Math.min(250 * 2 ** retries, MAX_WAIT_MS), signal),
    on: { connecting: (again) => (again ? lost() : undefined), connected },
    abortControllerImpl: AbortController,
  });
  const results = client.iterate<Record<string, unknown>, Record<string, unknown>>({
    query: request.query,
    variables: { ...request.variables },
    ...(request.operationName !== undefined && { operationName: request.operationName }),
  });
  signal.addEventListener('abort', () => client.dispose(), { once: true });
  for await (const result of results) {
    lastEventId = result.extensions?.['eventId'] ?? lastEventId;
    yield result as GraphResult; // as GraphQL says
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });
}
