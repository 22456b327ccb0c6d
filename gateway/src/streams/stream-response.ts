import { requestOverHttp2 } from './request-over-http2.ts';
import type { StreamRequest, StreamResponse } from './stream-request.ts';
import type { UpstreamTarget } from './upstream-transport.ts';

export type { StreamRequest, StreamResponse } from './stream-request.ts';

/** Sends a request by the version of HTTP that is configured for streams. */
export async function requestStream(
  connections: UpstreamTarget['connections'],
  request: StreamRequest,
): Promise<StreamResponse> {
  if (connections.isHttp2Only) return requestOverHttp2(connections, request);
  const { idleMs, ...rest } = request;
  return connections.streamAgent().request({
    ...rest,
    method: 'POST',
    headersTimeout: idleMs, // some servers send them with the first event
    bodyTimeout: idleMs,
  });
}

const MAX_SINGLE_BYTES = 1_048_576;

/** Reads a response that is no stream. @throws Error where it is too large */
export async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_SINGLE_BYTES)
      throw new Error(`A response that is no stream has more than ${MAX_SINGLE_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
