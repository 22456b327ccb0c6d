import type { ServerResponse } from 'node:http';
import type { ShareKeys } from '@trellis/runtime/admission';
import type { FastifyReply } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import type { ResultSink, ResultStream, StreamedResult } from '../../pipeline/result-stream.ts';
import type { UnreadResponses } from '../../load/unread-responses.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';
import { watchUnread } from './unread-responses.ts';
import type { HeartbeatTarget, Heartbeats } from './heartbeats.ts';
import type { StreamFormat } from '../message/stream-format.ts';

/** How streams over HTTP are stored, the same for all of them. */
export interface StreamSettingsOfServer {
  readonly heartbeats: Heartbeats;
  /** Bytes that wait for a client before it is given up. */
  readonly maxBufferBytes: number;
  /** A client was given up because it reads too slowly. */
  readonly onSlowConsumer: () => void;
}

/** How one stream is stored. */
export interface StreamResponseOptions extends StreamSettingsOfServer {
  /** Bounds what clients leave unread. */
  readonly unread: UnreadResponses;
  /** Whose share it counts in. */
  readonly keysOf: () => ShareKeys;
}

/** Sends a stream as the body of a response, until either side ends it. */
export function sendStream(
  reply: FastifyReply,
  stream: ResultStream,
  format: StreamFormat,
  options: StreamResponseOptions,
): FastifyReply {
  const response = beginStream(reply, format);
  stream.start(new StreamResponse(response, stream, format, options));
  return reply;
}

/** Sends what is no stream in the format of one, to a client that reads nothing else. */
export function sendInStreamFormat(reply: FastifyReply, text: string, format: StreamFormat): FastifyReply {
  beginStream(reply, format).end(format.next(text) + format.complete);
  return reply;
}

/** The response is taken from Fastify, with the headers that its hooks have set. */
export function beginStream(reply: FastifyReply, { contentType, head }: StreamFormat): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no', // proxies of the nginx family would hold events back
    'x-request-id': reply.request.id,
  });
  raw.write(head);
  return raw;
}

class StreamResponse implements ResultSink, HeartbeatTarget {
  readonly #response: ServerResponse;
  readonly #stream: ResultStream;
  readonly #format: StreamFormat;
  readonly #options: StreamResponseOptions;
  readonly #unread: UnreadBytes;

  constructor(
    response: ServerResponse,
    stream: ResultStream,
    format: StreamFormat,
    options: StreamResponseOptions,
  ) {
    this.#response = response;
    this.#stream = stream;
    this.#format = format;
    this.#options = options;
    this.#unread = watchUnread(response, options.unread, options.keysOf);
    options.heartbeats.add(this);
    response.once('close', () => this.#close());
    response.on('error', () => undefined); // the client disconnected: `close` follows
    if (response.destroyed) this.#close();
  }

  next(result: StreamedResult): void {
    this.#write(result.framed(this.#format.name, ({ text }) => Buffer.from(this.#format.next(text))));
  }

  complete(): void {
    this.#end(this.#format.complete);
  }

  fail(errors: readonly GraphQLFormattedError[]): void {
    this.#end(this.#format.failure(errors));
  }

  heartbeat(): void {
    this.#write(this.#format.heartbeat);
  }

  #write(chunk: Buffer | string): void {
    const { destroyed, writableEnded } = this.#response;
    if (destroyed || writableEnded) return;
    this.#response.write(chunk);
    this.#unread.update();
    if (this.#response.writableLength <= this.#options.maxBufferBytes) return;
    this.#options.onSlowConsumer();
    this.#response.destroy();
  }

  #end(text: string): void {
    this.#options.heartbeats.delete(this);
    if (!this.#response.destroyed) this.#response.end(text);
  }

  #close(): void {
    this.#options.heartbeats.delete(this);
    this.#stream.stop();
  }
}
