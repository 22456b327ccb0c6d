import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { framesOf } from '../../execution/frames.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';
import type { IncrementalOperationResult, PipelineResult } from '../../pipeline/operation-result.ts';
import type { ResultSink, ResultStream } from '../../pipeline/result-stream.ts';
import { writeResult } from '../../pipeline/respond.ts';
import type { HeartbeatTarget } from '../delivery/heartbeats.ts';
import { beginStream, type StreamResponseOptions } from '../delivery/stream-response.ts';
import { watchUnread } from '../delivery/unread-responses.ts';
import { serverSentEvents } from '../message/stream-format.ts';

/** For results that come before the stream is opened: a client opens it at once. */
const MAX_EARLY_CHARACTERS = 65_536;

/** An operation whose results go over an event stream. */
interface RunningOperation {
  /** Ends a query or a mutation. */
  readonly abort: () => void;
  stream: ResultStream | undefined;
}

/**
 * One response that carries the results of many operations: server-sent events, each with the id of its operation. It ends with its
 * connection, and everything that runs on it ends with it.
 *
 * @see the protocol of graphql-sse, single connection mode
 */
export class EventStream implements HeartbeatTarget {
  readonly #operations = new Map<string, RunningOperation>();
  readonly #onEnd: () => void;
  readonly #timer: NodeJS.Timeout;
  #response: ServerResponse | undefined;
  #options: StreamResponseOptions | undefined;
  #unread: UnreadBytes | undefined;
  #hasEnded = false;
  /** What is sent before the client has opened it. */
  #early = '';

  /**
   * @param openWithinMs milliseconds in which the client has to open it
   * @param onEnd called once
   */
  constructor(openWithinMs: number, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#timer = setTimeout(() => this.end(), openWithinMs).unref();
  }

  /** Operations that run. */
  get size(): number {
    return this.#operations.size;
  }

  /** Whether its client has opened it. */
  get isOpen(): boolean {
    return this.#response !== undefined;
  }

  has(id: string): boolean {
    return this.#operations.has(id);
  }

  /** Begins to send. To be called once. */
  open(reply: FastifyReply, options: StreamResponseOptions): FastifyReply {
    clearTimeout(this.#timer);
    const response = beginStream(reply, serverSentEvents);
    this.#response = response;
    this.#options = options;
    this.#unread = watchUnread(response, options.unread, options.keysOf);
    options.heartbeats.add(this);
    if (this.#early !== '') this.#write(this.#early);
    this.#early = '';
    response.once('close', () => this.end());
    response.on('error', () => undefined); // the client disconnected: `close` follows
    if (response.destroyed) this.end();
    return reply;
  }

  /** Takes the id of an operation that begins. @param abort ends it */
  begin(id: string, abort: () => void): void {
    this.#operations.set(id, { abort, stream: undefined });
  }

  /** Sends what an operation is answered with, to its end. Rejects only for faults of the gateway. */
  async send(id: string, result: PipelineResult): Promise<void> {
    const operation = this.#operations.get(id);
    if (result.kind === 'stream') {
      if (!operation) return result.stream.stop();
      operation.stream = result.stream;
      result.stream.start(this.#sinkOf(id));
    } else if (result.kind === 'parts') await this.#sendParts(id, result);
    else {
      this.#next(id, writeResult(result));
      this.#complete(id);
    }
  }

  /** The client wants no more of an operation, or it did not begin. */
  stop(id: string): void {
    const operation = this.#operations.get(id);
    this.#operations.delete(id);
    operation?.stream?.stop();
    operation?.abort();
  }

  /** Ends it, and all that runs on it. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#options?.heartbeats.delete(this);
    for (const id of this.#operations.keys()) this.stop(id);
    this.#early = '';
    this.#response?.end();
    this.#onEnd();
  }

  heartbeat(): void {
    this.#write(serverSentEvents.heartbeat);
  }

  async #sendParts(id: string, result: IncrementalOperationResult): Promise<void> {
    for await (const frame of framesOf(writeResult(result.initial), result, '20220824')) {
      if (!this.has(id)) return;
      this.#next(id, frame);
    }
    this.#complete(id);
  }

  #sinkOf(id: string): ResultSink {
    return {
      next: ({ text }) => this.#next(id, text),
      complete: () => this.#complete(id),
      fail: (errors) => this.#fail(id, errors),
    };
  }

  /** When the gateway shuts down, the response just ends and the client connects again. */
  #fail(id: string, errors: readonly GraphQLFormattedError[]): void {
    if (errors[0]?.extensions?.['code'] === 'SHUTTING_DOWN') return;
    this.#next(id, JSON.stringify({ errors }));
    this.#complete(id);
  }

  /** @param text a response as JSON */
  #next(id: string, text: string): void {
    if (this.has(id)) this.#write(`event: next\ndata: {"id":${JSON.stringify(id)},"payload":${text}}\n\n`);
  }

  #complete(id: string): void {
    if (this.has(id)) this.#write(`event: complete\ndata: {"id":${JSON.stringify(id)}}\n\n`);
    this.#operations.delete(id);
  }

  #write(text: string): void {
    const response = this.#response;
    if (!response || !this.#options) return this.#keepEarly(text);
    if (response.destroyed || response.writableEnded) return;
    response.write(text);
    this.#unread?.update();
    if (response.writableLength <= this.#options.maxBufferBytes) return;
    this.#options.onSlowConsumer();
    response.destroy();
  }

  /** Operations may come before the stream is opened. */
  #keepEarly(text: string): void {
    this.#early += text;
    if (this.#early.length > MAX_EARLY_CHARACTERS) this.end();
  }
}
