import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { CloseCode, MessageType } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import { ANONYMOUS, type Caller } from '../../auth/caller.ts';
import type { ClientHeaders, GraphRequest } from '../../context.ts';
import { CLIENT_CLOSED, gatewayErrorCodes, overloaded, refused, RequestRefused } from '../../errors.ts';
import { authenticate, type PresentedCredentials } from '../../pipeline/authenticate.ts';
import { framesOf, type IncrementalDialect } from '../../incremental/frames.ts';
import { runOperation } from '../../pipeline/index.ts';
import type { AnswerInParts, OperationAnswer, PipelineAnswer } from '../../pipeline/operation-answer.ts';
import type { ResultStream } from '../../pipeline/result-stream.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { writeAnswer } from '../../pipeline/write-answer.ts';
import type { Admission } from '../../traffic/admission.ts';
import type { CallerWatch, RunsForCaller } from '../../subscriptions/caller-watch.ts';
import type { Beating, Heartbeats } from '../heartbeats.ts';
import type { RequestBounds } from '../read-request.ts';
import {
  InvalidMessage,
  readClientMessage,
  type ClientMessage,
  type MessagePayload,
} from './client-message.ts';
import { authorizationOf, headersOf, proofOf } from './connection-credentials.ts';
import { nextFrame, OperationSink } from './operation-sink.ts';

/** How connections are kept. */
export interface ConnectionOptions {
  /** Where they are opened. */
  readonly path: string;
  readonly services: () => PipelineServices;
  readonly bounds: RequestBounds;
  readonly heartbeats: Heartbeats;
  readonly watch: CallerWatch;
  /** Milliseconds for `connection_init` to come. */
  readonly initMs: number;
  /** Milliseconds for a query or a mutation to be answered. */
  readonly operationMs: number;
  /** Operations that run at once. */
  readonly maxOperations: number;
  /** Messages of the client between two heartbeats. */
  readonly maxMessages: number;
  /** Bytes that wait for the client before it is given up. */
  readonly maxBufferBytes: number;
  /** Says when there are too many requests: those of connections count like those of HTTP. */
  readonly admission: Admission;
  readonly observer: ConnectionObserver;
}

/** Told of connections, for logs and metrics. */
export interface ConnectionObserver {
  /** @returns false when the user has as many connections as one may have */
  admitted(caller: Caller): boolean;
  answered(request: { readonly id: string }, answer: OperationAnswer, durationMs: number): void;
  slowClient(): void;
  failed(error: unknown): void;
  /** @param caller who was admitted; absent when it never got that far */
  closed(connection: Connection, caller: Caller | undefined): void;
}

/** Codes of RFC 6455 §7.4.1 and its registry. */
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;
/** After which a client that does not answer the end of its connection is left. */
const FAREWELL_MS = 1_000;

/** One operation on a connection. */
interface RunningOperation {
  /** Ends a query or a mutation. */
  readonly controller: AbortController;
  stream: ResultStream | undefined;
}

/**
 * One client over graphql-transport-ws. What it asks goes through the pipeline like any request; here are the rules of
 * the connection alone.
 *
 * @see the graphql-transport-ws protocol of graphql-ws
 */
export class Connection implements RunsForCaller, Beating {
  readonly #socket: WebSocket;
  readonly #address: string;
  readonly #options: ConnectionOptions;
  readonly #operations = new Map<string, RunningOperation>();
  #headers: ClientHeaders;
  /** What the client is let in by, now. */
  #credentials: PresentedCredentials;
  readonly #url: string;
  #state: 'opened' | 'authenticating' | 'acknowledged' | 'closed' = 'opened';
  #caller: Caller = ANONYMOUS;
  /** The client chooses it in `connection_init`: `incrementalSpec: "v0.2"`. */
  #dialect: IncrementalDialect = '20220824';
  /** As whom it was counted. */
  #countedAs: Caller | undefined;
  #initTimer: NodeJS.Timeout;
  #isAlive = true;
  #messages = 0;
  #onIdle: (() => void) | undefined;

  constructor(socket: WebSocket, headers: ClientHeaders, address: string, options: ConnectionOptions) {
    this.#socket = socket;
    this.#headers = headers;
    this.#address = address;
    this.#options = options;
    this.#url = `http://${textOfHeader(headers['host']) ?? 'localhost'}${options.path}`;
    this.#credentials = this.#credentialsOf(
      textOfHeader(headers['authorization']),
      textOfHeader(headers['dpop']),
    );
    this.#initTimer = setTimeout(
      () => this.#close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout'),
      options.initMs,
    );
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('ping', () => this.#countMessage());
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => this.#onClose());
    options.heartbeats.add(this);
  }

  get caller(): Caller {
    return this.#caller;
  }

  onTokenEnd(): void {
    this.#close(CloseCode.Forbidden, 'Forbidden');
  }

  /** A client that has not answered the ping before is gone. */
  beat(): void {
    this.#messages = 0;
    if (!this.#isAlive) return this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  }

  /**
   * Ends the connection in a way that makes clients connect again. Queries and mutations that run are answered first.
   *
   * @returns settles when the client has closed it as well, or was left
   */
  async drain(signal: AbortSignal): Promise<void> {
    for (const { stream } of this.#operations.values()) stream?.stop();
    await this.#answered(signal);
    this.#close(SERVICE_RESTART, 'Service restart');
    await new Promise<void>((resolve) => {
      if (this.#socket.readyState === this.#socket.CLOSED) resolve();
      else this.#socket.once('close', () => resolve());
    });
  }

  #answered(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = () => {
        const isBusy = [...this.#operations.values()].some(({ stream }) => !stream);
        if (!isBusy) resolve();
      };
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#onIdle();
    });
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#state === 'closed' || !this.#countMessage()) return;
    try {
      if (isBinary) throw new InvalidMessage('A message has to be text');
      this.#handle(readClientMessage(textOf(data), this.#options.bounds));
    } catch (error) {
      if (error instanceof InvalidMessage) this.#close(CloseCode.BadRequest, error.message);
      else this.#fail(error);
    }
  }

  #countMessage(): boolean {
    this.#messages += 1;
    if (this.#messages <= this.#options.maxMessages) return true;
    this.#close(POLICY_VIOLATION, 'Too many messages');
    return false;
  }

  #handle(message: ClientMessage): void {
    switch (message.type) {
      case MessageType.ConnectionInit:
        this.#initialise(message.payload).catch((error: unknown) => this.#fail(error));
        return;
      case MessageType.Ping:
        this.#onPing(message.payload).catch((error: unknown) => this.#fail(error));
        return;
      case MessageType.Pong:
        return;
      case MessageType.Subscribe:
        this.#subscribe(message.id, message.request);
        return;
      case MessageType.Complete:
        this.#stop(message.id);
        return;
      default:
        message satisfies never;
    }
  }

  async #initialise(payload: MessagePayload): Promise<void> {
    if (this.#state !== 'opened')
      return this.#close(CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests');
    clearTimeout(this.#initTimer);
    this.#state = 'authenticating';
    const given = authorizationOf(payload);
    const credentials =
      given === undefined ? this.#credentials : this.#credentialsOf(given, proofOf(payload));
    const caller = await this.#authenticate(credentials);
    if (!caller || this.#isClosed()) return;
    if (!this.#options.observer.admitted(caller)) return this.#close(TRY_AGAIN_LATER, 'Too many connections');
    this.#countedAs = caller;
    this.#headers = headersOf(this.#headers, payload);
    if (payload['incrementalSpec'] === 'v0.2') this.#dialect = 'v0.2';
    this.#state = 'acknowledged';
    this.#runAs(caller, credentials);
    this.#send({ type: MessageType.ConnectionAck });
  }

  /** A token in the payload takes the place of the one until now: it has to be of the same user. */
  async #onPing(payload: MessagePayload): Promise<void> {
    const authorization = authorizationOf(payload);
    if (authorization !== undefined && this.#state === 'acknowledged') {
      const credentials = this.#credentialsOf(authorization, proofOf(payload));
      const caller = await this.#authenticate(credentials);
      if (!caller || this.#isClosed()) return;
      if (!isSameUser(this.#caller, caller)) return this.#close(CloseCode.Forbidden, 'Forbidden');
      this.#options.watch.delete(this);
      this.#runAs(caller, credentials);
      for (const { stream } of this.#operations.values()) stream?.renew(caller);
    }
    this.#send({ type: MessageType.Pong });
  }

  /** The proof is about the request that opened the connection. */
  #credentialsOf(authorization: string | undefined, proof: string | undefined): PresentedCredentials {
    if (proof === undefined) return { authorization };
    return { authorization, proof: { proof, method: 'GET', url: this.#url } };
  }

  #runAs(caller: Caller, credentials: PresentedCredentials): void {
    const { authorization } = credentials;
    this.#caller = caller;
    this.#credentials = credentials;
    if (authorization !== undefined) this.#headers = { ...this.#headers, authorization };
    this.#options.watch.add(this);
  }

  /** @returns nothing when the connection was closed for it */
  async #authenticate(credentials: PresentedCredentials): Promise<Caller | undefined> {
    const { authenticator, observer } = this.#options.services();
    try {
      return await authenticate(credentials, authenticator, (reason) =>
        observer.invalidToken('websocket', reason),
      );
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      const isBad = error.errors[0]?.extensions['code'] === 'UNAUTHENTICATED';
      if (isBad) this.#close(CloseCode.Forbidden, 'Forbidden');
      else this.#close(TRY_AGAIN_LATER, 'Try again later');
      return undefined;
    }
  }

  #subscribe(id: string, request: GraphRequest | RequestRefused): void {
    if (this.#state !== 'acknowledged') return this.#close(CloseCode.Unauthorized, 'Unauthorized');
    if (this.#operations.has(id))
      return this.#close(
        CloseCode.SubscriberAlreadyExists,
        `Subscriber for ${id} already exists`.slice(0, 120),
      );
    if (request instanceof RequestRefused) return this.#sendRefusal(id, request);
    if (this.#operations.size >= this.#options.maxOperations)
      return this.#sendRefusal(
        id,
        refused(
          'TOO_MANY_STREAMS',
          `No more than ${this.#options.maxOperations} operations may run on a connection.`,
        ),
      );
    this.#run(id, request).catch((error: unknown) => this.#fail(error));
  }

  async #run(id: string, request: GraphRequest): Promise<void> {
    const operation: RunningOperation = { controller: new AbortController(), stream: undefined };
    this.#operations.set(id, operation);
    const requestId = randomUUID();
    const beganMs = performance.now();
    const answer = await this.#answer(request, requestId, operation.controller);
    const isWanted = this.#operations.get(id) === operation;
    if (answer.kind === 'stream') {
      if (!isWanted) return answer.stream.stop();
      operation.stream = answer.stream;
      answer.stream.start(
        new OperationSink(
          id,
          (text) => this.#write(text),
          () => this.#forget(id),
        ),
      );
      return;
    }
    const first = answer.kind === 'parts' ? answer.initial : answer;
    this.#options.observer.answered({ id: requestId }, first, performance.now() - beganMs);
    if (!isWanted) return;
    if (answer.kind === 'parts') await this.#sendParts(id, operation, answer);
    else this.#sendAnswer(id, answer);
  }

  async #answer(
    request: GraphRequest,
    requestId: string,
    controller: AbortController,
  ): Promise<PipelineAnswer> {
    const { admission } = this.#options;
    let isCounted = false;
    setMaxListeners(0, controller.signal); // every call of a subgraph listens
    const timer = setTimeout(
      () => controller.abort(refused('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary)),
      this.#options.operationMs,
    );
    try {
      return await runOperation(
        request,
        {
          requestId,
          headers: this.#headers,
          address: this.#address,
          ...this.#credentials,
          signal: controller.signal,
          takesParts: true,
          accepts: 'any',
          enter: () => {
            if (admission.enter() !== undefined) throw overloaded();
            isCounted = true;
          },
        },
        this.#options.services(),
      );
    } finally {
      clearTimeout(timer);
      if (isCounted) admission.leave();
    }
  }

  /** A request that was not executed is answered by `error`, which ends the operation; a result by `next`. */
  #sendAnswer(id: string, answer: OperationAnswer): void {
    if (answer.data === undefined) this.#send({ id, type: MessageType.Error, payload: answer.errors });
    else {
      this.#write(nextFrame(id, writeAnswer(answer)));
      this.#send({ id, type: MessageType.Complete });
    }
    this.#forget(id);
  }

  /** Each part is a result; the operation is complete after the last. */
  async #sendParts(id: string, operation: RunningOperation, answer: AnswerInParts): Promise<void> {
    const isWanted = (): boolean => this.#operations.get(id) === operation;
    for await (const frame of framesOf(writeAnswer(answer.initial), answer, this.#dialect)) {
      if (!isWanted()) return;
      this.#write(nextFrame(id, frame));
    }
    if (!isWanted()) return;
    this.#send({ id, type: MessageType.Complete });
    this.#forget(id);
  }

  #sendRefusal(id: string, { errors }: RequestRefused): void {
    const payload = errors.map(({ message, extensions }) => ({ message, extensions }));
    this.#send({ id, type: MessageType.Error, payload });
  }

  /** The client wants no more of it. */
  #stop(id: string): void {
    const operation = this.#operations.get(id);
    if (!operation) return; // it has ended, and the messages have crossed
    this.#forget(id);
    operation.stream?.stop();
    operation.controller.abort(CLIENT_CLOSED);
  }

  #forget(id: string): void {
    this.#operations.delete(id);
    this.#onIdle?.();
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    this.#write(JSON.stringify(message));
  }

  #write(text: string): void {
    if (this.#state === 'closed') return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount <= this.#options.maxBufferBytes) return;
    this.#options.observer.slowClient();
    this.#close(TRY_AGAIN_LATER, 'The client reads too slowly');
  }

  #fail(error: unknown): void {
    this.#options.observer.failed(error);
    this.#close(CloseCode.InternalServerError, 'Internal server error');
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #close(code: number, reason: string): void {
    if (this.#state === 'closed') return;
    this.#end();
    this.#socket.close(code, reason);
    const leave = setTimeout(() => this.#socket.terminate(), FAREWELL_MS);
    this.#socket.once('close', () => clearTimeout(leave));
  }

  #onClose(): void {
    this.#end();
    this.#options.observer.closed(this, this.#countedAs);
  }

  /** Ends all that runs; nothing is sent any more. */
  #end(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearTimeout(this.#initTimer);
    this.#options.heartbeats.delete(this);
    this.#options.watch.delete(this);
    for (const id of this.#operations.keys()) this.#stop(id);
  }
}

/** Text arrives as one buffer in UTF-8, which the socket has checked. */
function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString('utf8');
  return Array.isArray(data) ? Buffer.concat(data).toString('utf8') : Buffer.from(data).toString('utf8');
}

/** A connection that began without a token may get one. */
function isSameUser(before: Caller, now: Caller): boolean {
  if (!before.authenticated) return true;
  return before.claims['sub'] === now.claims['sub'] && before.claims['iss'] === now.claims['iss'];
}

function textOfHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
