import type { OutgoingHttpHeaders } from 'node:http2';
import { assertHeader, CONNECTION_FIELDS, MESSAGE_FIELDS } from '@trellis/http1';

/** What is asked, by POST. */
export interface Http2RequestHead {
  /** Names in lower case. Those of the connection or the message are passed over. */
  readonly headers: Readonly<Record<string, string>>;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly authority: string;
}

/** HTTP/2 says these in frames of its own, or not at all. RFC 9113 §8.2.2 */
const NOT_SENT: ReadonlySet<string> = new Set([...CONNECTION_FIELDS, ...MESSAGE_FIELDS]);

/** @throws MalformedRequest for a header that HTTP does not allow */
export function http2Headers({ headers, path, authority }: Http2RequestHead): OutgoingHttpHeaders {
  const outgoing: OutgoingHttpHeaders = { ':method': 'POST', ':path': path, ':authority': authority };
  for (const [name, value] of Object.entries(headers)) {
    if (NOT_SENT.has(name)) continue;
    assertHeader(name, value);
    outgoing[name] = value;
  }
  return outgoing;
}
