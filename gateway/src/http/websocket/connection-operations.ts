import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { ShareKeys } from '@trellis/runtime/admission';
import type { GraphQLFormattedError } from 'graphql';
import { MessageType } from 'graphql-ws';
import type { Caller } from '../../identity/caller.ts';
import type { GraphRequest, RequestContext } from '../../request/context.ts';
import {
  CLIENT_CLOSED,
  gatewayErrorCodes,
  overloaded,
  overShare,
  rejected,
  tooManyStreams,
  type RequestError,
} from '../../errors.ts';
import { framesOf, type IncrementalDialect } from '../../execution/frames.ts';
import { runOperation } from '../../pipeline/index.ts';
import type {
  IncrementalOperationResult,
  OperationResult,
  PipelineResult,
} from '../../pipeline/operation-result.ts';
import type { ResultStream } from '../../pipeline/result-stream.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { writeResult } from '../../pipeline/respond.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import type { Admission } from '../../load/admission.ts';
import type { HeldBytes } from '../../load/in-flight-bytes.ts';
import type { RunsAs } from './connection-identity.ts';
import { OperationSink, type MessageWriter } from './client-socket.ts';
import { resultMessage, type WireProtocol } from './wire-protocol.ts';

/** Called for finished operations. Streams are reported elsewhere. */
export interface OperationObserver {
  answered(
    request: Pick<RequestContext, 'headers' | 'software'> & { readonly id: string },
    response: OperationResult,
    durationMs: number,
  ): void;
}

/** Settings of {@link ConnectionOperations}, the same for all connections. */
export interface OperationOptions {
  readonly services: () => PipelineServices;
  /** Says when there are too many requests: those of connections count like those of HTTP. */
  readonly admission: Admission;
  /** The settings in force now. */
  readonly settings: () => TransportSettings;
  readonly observer: OperationObserver;
}

/** Whose operations they are. */
export interface OperationClient {
  /** As whom, and with which headers, an operation runs that begins now. */
  caller(): RunsAs;
  /** Whose share its operations count in. */
  shareKeys(): ShareKeys;
  /** Whether its caller comes first when there is too much to do. */
  isKnown(): boolean;
  /** How deferred parts are taken. */
  dialect(): IncrementalDialect;
  /** What its messages are called. */
  readonly protocol: WireProtocol;
}

/** One operation on a connection. */
interface RunningOperation {
  /** Ends a query or a mutation. */
  readonly controller: AbortController;
  stream: ResultStream | undefined;
  /** Its request. */
  readonly held: HeldBytes;
}

/**
 * The operations of one connection, each from `subscribe` to its end. Messages of an operation that the
 * client has completed are not written any more.
 */
export class ConnectionOperations {
  readonly #options: OperationOptions;
  readonly #client: OperationClient;
  readonly #messages: MessageWriter;
  readonly #running = new Map<string, RunningOperation>();
  #onEnd: (() => void) | undefined;

  /** @param messages where responses are written; nothing stands between it and the results of a stream */
  constructor(options: OperationOptions, client: OperationClient, messages: MessageWriter) {
    this.#options = options;
    this.#client = client;
    this.#messages = messages;
  }

  get size(): number {
    return this.#running.size;
  }

  has(id: string): boolean {
    return this.#running.has(id);
  }

  /**
   * Runs an operation, and writes what it answers. Rejects only for faults of the gateway.
   *
   * @param held what its request takes, until the operation has ended
   * @param begins when it may begin, unless the connection has ended by then; absent: now
   */
  async run(id: string, request: GraphRequest, held: HeldBytes, begins?: Promise<void>): Promise<void> {
    const operation: RunningOperation = { controller: new AbortController(), stream: undefined, held };
    this.#running.set(id, operation);
    if (begins) {
      await begins;
      if (!this.#isWanted(id, operation)) return;
    }
    const requestId = randomUUID();
    const beganMs = performance.now();
    const response = await this.#response(request, requestId, operation.controller);
    if (response.kind === 'stream') return this.#startStream(id, operation, response.stream);
    const first = response.kind === 'parts' ? response.initial : response;
    const { headers, software } = this.#client.caller();
    this.#options.observer.answered({ id: requestId, headers, software }, first, performance.now() - beganMs);
    if (!this.#isWanted(id, operation)) return;
    if (response.kind === 'parts') await this.#sendParts(id, operation, response);
    else this.#sendResponse(id, response);
  }

  /** The client wants no more of it. */
  stop(id: string): void {
    const operation = this.#running.get(id);
    if (!operation) return; // it has ended, and the messages have crossed
    this.#forget(id);
    operation.stream?.stop();
    operation.controller.abort(CLIENT_CLOSED);
  }

  stopAll(): void {
    for (const id of this.#running.keys()) this.stop(id);
  }

  stopStreams(): void {
    for (const { stream } of this.#running.values()) stream?.stop();
  }

  /** Streams go on with the rights of another token of the same user. */
  renewStreams(caller: Caller): void {
    for (const { stream } of this.#running.values()) stream?.renew(caller);
  }

  /** Waits until all queries and mutations are answered, or the signal aborts. */
  answered(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnd = () => {
        const isBusy = [...this.#running.values()].some(({ stream }) => !stream);
        if (!isBusy) resolve();
      };
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#onEnd();
    });
  }

  /** Answers an operation that did not begin. */
  reject(id: string, { errors }: RequestError): void {
    const payload = errors.map(({ message, extensions }) => ({ message, extensions }));
    this.#fail(id, payload);
  }

  async #response(
    request: GraphRequest,
    requestId: string,
    controller: AbortController,
  ): Promise<PipelineResult> {
    const { admission, settings, services } = this.#options;
    let isCounted = false;
    const { signal } = controller;
    setMaxListeners(0, signal); // every subgraph request listens
    const timer = setTimeout(() => controller.abort(timedOut()), settings().timeouts.requestMs);
    const keys = this.#client.shareKeys();
    const enter = (): void => {
      const reason = admission.enter(() => this.#client.isKnown(), keys);
      if (reason !== undefined) throw reason === 'share' ? overShare() : overloaded();
      isCounted = true;
    };
    try {
      const context = {
        requestId,
        ...this.#client.caller(),
        signal,
        acceptsIncremental: true,
        accepts: 'any',
        enter,
      } as const;
      return await runOperation(request, context, services());
    } finally {
      clearTimeout(timer);
      if (isCounted) admission.leave(keys);
    }
  }

  #startStream(id: string, operation: RunningOperation, stream: ResultStream): void {
    if (!this.#isWanted(id, operation)) return stream.stop();
    operation.stream = stream;
    stream.start(new OperationSink(id, this.#client.protocol, this.#messages, () => this.#forget(id)));
  }

  /** A request that was not executed is answered by `error`, which ends the operation; a result by `next`. */
  #sendResponse(id: string, response: OperationResult): void {
    // A response with a body has data, whose text is made each time that it is read.
    if (!response.body && response.data === undefined) this.#fail(id, response.errors);
    else {
      this.#messages.write(resultMessage(id, writeResult(response), this.#client.protocol));
      this.#send({ id, type: MessageType.Complete });
    }
    this.#forget(id);
  }

  /** Each part is a result; the operation is complete after the last. */
  async #sendParts(
    id: string,
    operation: RunningOperation,
    response: IncrementalOperationResult,
  ): Promise<void> {
    for await (const frame of framesOf(writeResult(response.initial), response, this.#client.dialect())) {
      if (!this.#isWanted(id, operation)) return;
      this.#messages.write(resultMessage(id, frame, this.#client.protocol));
    }
    if (!this.#isWanted(id, operation)) return;
    this.#send({ id, type: MessageType.Complete });
    this.#forget(id);
  }

  #isWanted(id: string, operation: RunningOperation): boolean {
    return this.#running.get(id) === operation;
  }

  #forget(id: string): void {
    this.#running.get(id)?.held.release();
    this.#running.delete(id);
    this.#onEnd?.();
  }

  #fail(id: string, errors: readonly GraphQLFormattedError[] | undefined): void {
    for (const message of this.#client.protocol.failure(id, errors)) this.#send(message);
  }

  #send(message: object): void {
    this.#messages.write(JSON.stringify(message));
  }
}

/** As many operations run on a connection as may. */
export function tooManyOperations(maximum: number): RequestError {
  return tooManyStreams(`No more than ${maximum} operations may run on a connection.`);
}

function timedOut(): RequestError {
  return rejected('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary);
}
