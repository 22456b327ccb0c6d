import type { GraphQLFormattedError } from 'graphql';

/** How a stream of results is written into the body of one HTTP response. Every text may be the last that the client reads. */
export interface StreamFormat {
  /** Identifies the format where frames are cached. */
  readonly name: string;
  readonly contentType: string;
  /** Comes first. */
  readonly head: string;
  readonly heartbeat: string;
  /** @param text a response as JSON */
  next(text: string): string;
  /** The stream has ended in order. */
  readonly complete: string;
  /** The stream ended by these errors. */
  failure(errors: readonly GraphQLFormattedError[]): string;
}

/**
 * GraphQL over Server-Sent Events, distinct connections mode.
 *
 * @see the protocol of graphql-sse
 */
export const serverSentEvents: StreamFormat = {
  name: 'sse',
  contentType: 'text/event-stream; charset=utf-8',
  head: ':\n\n',
  heartbeat: ':\n\n',
  next: (text) => `event: next\ndata: ${text}\n\n`,
  complete: 'event: complete\ndata:\n\n',
  failure(errors) {
    // When the gateway shuts down, the stream just ends and the client reconnects.
    if (errors[0]?.extensions?.['code'] === 'SHUTTING_DOWN') return '';
    return `${this.next(JSON.stringify({ errors }))}${this.complete}`;
  },
};

const PART = '\r\ncontent-type: application/json\r\n\r\n';
const BOUNDARY = '\r\n--graphql';

/**
 * Subscriptions over multipart HTTP, `subscriptionSpec=1.0`. A boundary follows each part at once, as a reader can't know
 * that the part is whole before it sees it.
 *
 * @see the multipart protocol of Apollo for GraphQL subscriptions
 */
export const multipartStream: StreamFormat = {
  name: 'multipart',
  contentType: 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
  head: `--graphql${PART}{}${BOUNDARY}`,
  heartbeat: `${PART}{}${BOUNDARY}`,
  next: (text) => `${PART}{"payload":${text}}${BOUNDARY}`,
  complete: '--\r\n',
  failure(errors) {
    return `${PART}${JSON.stringify({ payload: null, errors })}${BOUNDARY}${this.complete}`;
  },
};
