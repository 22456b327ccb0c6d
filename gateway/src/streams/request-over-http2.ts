import {
  constants,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { StreamRequest, StreamResponse } from './stream-request.ts';
import type { UpstreamTarget } from './upstream-transport.ts';

/** Sends a request over a session that others may use. */
export async function requestOverHttp2(
  connections: UpstreamTarget['connections'],
  { origin, path, headers, body, signal, idleMs }: StreamRequest,
): Promise<StreamResponse> {
  const session = await connections.streamPoolOf(origin).session();
  signal.throwIfAborted();
  const stream = session.open({ path, headers }, body);
  signal.addEventListener('abort', () => stream.close(constants.NGHTTP2_CANCEL), { once: true });
  stream.setTimeout(idleMs, () => {
    stream.destroy(new Error(`Nothing came for ${idleMs} ms.`));
    session.assertAlive();
  });
  const head = await headOf(stream);
  return { statusCode: head[':status'] ?? 0, headers: head, body: stream as AsyncIterable<Uint8Array> };
}

type ResponseHead = IncomingHttpHeaders & IncomingHttpStatusHeader;

function headOf(stream: ClientHttp2Stream): Promise<ResponseHead> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('The stream was closed.')));
  });
}
