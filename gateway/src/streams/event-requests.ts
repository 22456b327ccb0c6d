import { LAST_EVENT_ID_EXTENSION } from '@trellis/subgraph-protocol';
import { readBounded, requestStream, type StreamRequest, type StreamResponse } from './stream-response.ts';
import { explainTlsProblem } from '../subgraphs/tls/tls-problem.ts';
import { readEventStream } from './read-event-stream.ts';
import { readMultipartStream } from './read-multipart-stream.ts';
import {
  type StreamMessage,
  httpUrl,
  MAX_EVENT_BYTES,
  type TransportChoice,
  type UpstreamConnection,
  type UpstreamMessage,
  type UpstreamSink,
  type UpstreamTarget,
} from './upstream-transport.ts';

/** What is asked for by `Accept`; where the subgraph decides, it may answer in either form. */
export const ACCEPT: Readonly<Record<TransportChoice, string>> = {
  sse: 'text/event-stream, application/graphql-response+json;q=0.5, application/json;q=0.4',
  multipart:
    'multipart/mixed;subscriptionSpec=1.0, application/graphql-response+json;q=0.5, application/json;q=0.4',
  auto: 'text/event-stream, multipart/mixed;subscriptionSpec=1.0;q=0.9, application/graphql-response+json;q=0.5, application/json;q=0.4',
  websocket: 'text/event-stream',
  callback: 'application/json;callbackSpec=1.0, application/json',
};

/** Subscriptions over HTTP: a POST for each, whose response is a stream of server-sent events or of parts. */
export class EventRequests {
  /** Subscribes once: a connection that can't be opened, or breaks, is an error of the sink. Redirects are not followed. */
  subscribe(target: UpstreamTarget, message: UpstreamMessage, sink: UpstreamSink): UpstreamConnection {
    const request = new EventRequest(sink);
    void request.run(target, message);
    return request;
  }
}

class EventRequest implements UpstreamConnection {
  readonly #sink: UpstreamSink;
  readonly #ending = new AbortController();
  #isEstablished = false;

  constructor(sink: UpstreamSink) {
    this.#sink = sink;
  }

  isEstablished(): boolean {
    return this.#isEstablished;
  }

  cancel(): void {
    this.#ending.abort();
  }

  async run(target: UpstreamTarget, message: UpstreamMessage): Promise<void> {
    const { signal } = this.#ending;
    try {
      const request = requestOf(target, message, signal);
      const response = await requestStream(target.connections, request);
      const isComplete = await this.#read(response);
      if (signal.aborted) return;
      if (isComplete) this.#sink.complete();
      else this.#sink.error(new Error('The subgraph ended the response before the subscription.'));
    } catch (error) {
      if (!signal.aborted) this.#sink.error(error instanceof Error ? explainTlsProblem(error) : error);
    } finally {
      this.#ending.abort(); // the rest of the response is not waited for
    }
  }

  /** @returns whether the subscription came to its end */
  async #read(response: StreamResponse): Promise<boolean> {
    const messages = messagesOf(response);
    if (!messages) return this.#readSingle(response);
    this.#isEstablished = true;
    for await (const message of messages) {
      if (this.#ending.signal.aborted) return false;
      if (message.kind === 'complete') return true;
      this.#sink.next(message.payload);
    }
    return false;
  }

  /** A response that is no stream says why there is none. */
  async #readSingle({ statusCode, headers, body }: StreamResponse): Promise<boolean> {
    const type = mediaTypeOf(headers['content-type']);
    if (statusCode >= 500 || !/[/+]json$/.test(type.name))
      throw new Error(
        `A subscription by POST was answered with ${statusCode} ${type.name || 'without a type'}.`,
      );
    const payload: unknown = JSON.parse(await readBounded(body));
    if (!this.#ending.signal.aborted) this.#sink.next(payload);
    return true;
  }
}

function requestOf(target: UpstreamTarget, message: UpstreamMessage, signal: AbortSignal): StreamRequest {
  const { origin, pathname, search } = new URL(httpUrl(target.url));
  const { query, operationName, variables, lastEventId } = message;
  const extensions = lastEventId === undefined ? undefined : { [LAST_EVENT_ID_EXTENSION]: lastEventId };
  return {
    origin,
    path: `${pathname}${search}`,
    headers: {
      ...message.headers,
      'content-type': 'application/json',
      accept: ACCEPT[target.transport],
      'accept-encoding': 'identity',
    },
    body: JSON.stringify({ query, operationName, variables, extensions }),
    signal,
    idleMs: target.idleMs,
  };
}

/** GraphQL Yoga says `none`, which keeps proxies from compressing. */
const PLAIN_ENCODINGS: ReadonlySet<string> = new Set(['identity', 'none']);

function messagesOf({ statusCode, headers, body }: StreamResponse): AsyncIterable<StreamMessage> | undefined {
  if (statusCode !== 200) return undefined;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && !PLAIN_ENCODINGS.has(encoding))
    throw new Error(`The subgraph sends events compressed (${encoding}), which it was not asked to.`);
  const { name, parameters } = mediaTypeOf(headers['content-type']);
  if (name === 'text/event-stream') return readEventStream(body, MAX_EVENT_BYTES);
  if (name !== 'multipart/mixed') return undefined;
  return readMultipartStream(body, boundaryOf(parameters), MAX_EVENT_BYTES);
}

interface MediaType {
  /** In lower case. */
  readonly name: string;
  readonly parameters: string;
}

function mediaTypeOf(header: string | string[] | undefined): MediaType {
  const text = typeof header === 'string' ? header : '';
  const end = text.indexOf(';');
  const name = end === -1 ? text : text.slice(0, end);
  return { name: name.trim().toLowerCase(), parameters: end === -1 ? '' : text.slice(end) };
}

/** RFC 2046 §5.1.1; `-` where none is named, as Apollo's protocol has it. */
function boundaryOf(parameters: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^;"\s]{1,70}))/i.exec(parameters) ?? [];
  return quoted ?? plain ?? '-';
}
