import type { OutgoingHttpHeaders } from 'node:http2';
import { assertHeader } from '@trellis/http1';

/** What is asked, by POST. */
export interface Http2RequestHead {
  /** Names in lower case. Those of the connection are passed over. */
  readonly headers: Readonly<Record<string, string>>;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly authority: string;
}

/** Of HTTP/1.1 alone, or set by the protocol itself. RFC 9113 §8.2.2. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** @throws MalformedRequest for a header that HTTP does not allow */
export function http2Headers({ headers, path, authority }: Http2RequestHead): OutgoingHttpHeaders {
  const outgoing: OutgoingHttpHeaders = { ':method': 'POST', ':path': path, ':authority': authority };
  for (const [name, value] of Object.entries(headers)) {
    if (CONNECTION_HEADERS.has(name)) continue;
    assertHeader(name, value);
    outgoing[name] = value;
  }
  return outgoing;
}
