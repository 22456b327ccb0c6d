import { CloseCode, MessageType } from 'graphql-ws';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { ANONYMOUS, userOf, type Caller } from '../../auth/caller.ts';
import type { ClientHeaders, GraphRequest } from '../../context.ts';
import { refused, RequestRefused } from '../../errors.ts';
import { authenticate, type PresentedCredentials } from '../../pipeline/authenticate.ts';
import type { IncrementalDialect } from '../../incremental/frames.ts';
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
import {
  ConnectionOperations,
  type OperationObserver,
  type OperationOptions,
} from './connection-operations.ts';

/** How connections are kept. */
export interface ConnectionOptions extends OperationOptions {
  /** Where they are opened. */
  readonly path: string;
  readonly bounds: RequestBounds;
  readonly heartbeats: Heartbeats;
  readonly watch: CallerWatch;
  /** Milliseconds for `connection_init` to come. */
  readonly initMs: number;
  /** Operations that run at once. */
  readonly maxOperations: number;
  /** Messages of the client between two heartbeats. */
  readonly maxMessages: number;
  /** Bytes that wait for the client before it is given up. */
  readonly maxBufferBytes: number;
  readonly observer: ConnectionObserver;
}

/** Told of connections, for logs and metrics. */
export interface ConnectionObserver extends OperationObserver {
  /** @returns false when the user has as many connections as one may have */
  admitted(caller: Caller): boolean;
  slowClient(): void;
  failed(error: unknown): void;
  /** @param caller who was admitted; absent when it never got that far */
  closed(connection: Connection, caller: Caller | undefined): void;
}

/** A socket that was upgraded. */
export interface OpenedSocket {
  readonly socket: WebSocket;
  /** The connection below it. */
  readonly stream: Duplex;
  /** Those of the upgrade request. */
  readonly headers: ClientHeaders;
  readonly address: string;
}

/** Codes of RFC 6455 §7.4.1 and its registry. */
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;
/** After which a client that does not answer the end of its connection is left. */
const FAREWELL_MS = 1_000;

/**
 * One client over graphql-transport-ws. What it asks goes through the pipeline like any request; here are the rules of
 * the connection alone.
 *
 * @see the graphql-transport-ws protocol of graphql-ws
 */
export class Connection implements RunsForCaller, Beating {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #options: ConnectionOptions;
  readonly #operations: ConnectionOperations;
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

  constructor({ socket, stream, headers, address }: OpenedSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#headers = headers;
    this.#options = options;
    this.#url = `http://${textOfHeader(headers['host']) ?? 'localhost'}${options.path}`;
    this.#credentials = this.#credentialsOf(
      textOfHeader(headers['authorization']),
      textOfHeader(headers['dpop']),
    );
    this.#operations = new ConnectionOperations(options, {
      caller: () => ({ headers: this.#headers, address, ...this.#credentials }),
      isKnown: () => this.#caller.authenticated || options.services().authenticator.isKnown(undefined),
      dialect: () => this.#dialect,
      write: (text) => this.#write(text),
      writeFrame: (frame) => this.#writeFrame(frame),
    });
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
    this.#operations.stopStreams();
    await this.#operations.answered(signal);
    this.#close(SERVICE_RESTART, 'Service restart');
    await new Promise<void>((resolve) => {
      if (this.#socket.readyState === this.#socket.CLOSED) resolve();
      else this.#socket.once('close', () => resolve());
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
        this.#operations.stop(message.id);
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
    if (!this.#count(caller)) return;
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
      if (!this.#caller.authenticated && !this.#count(caller)) return;
      this.#options.watch.delete(this);
      this.#runAs(caller, credentials);
      this.#operations.renewStreams(caller);
    }
    this.#send({ type: MessageType.Pong });
  }

  /** As a connection of the user. @returns false when it was closed for it */
  #count(caller: Caller): boolean {
    if (this.#options.observer.admitted(caller)) {
      this.#countedAs = caller;
      return true;
    }
    this.#close(TRY_AGAIN_LATER, 'Too many connections');
    return false;
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
    if (request instanceof RequestRefused) return this.#operations.refuse(id, request);
    if (this.#operations.size >= this.#options.maxOperations)
      return this.#operations.refuse(
        id,
        refused(
          'TOO_MANY_STREAMS',
          `No more than ${this.#options.maxOperations} operations may run on a connection.`,
        ),
      );
    this.#operations.run(id, request).catch((error: unknown) => this.#fail(error));
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    this.#write(JSON.stringify(message));
  }

  #write(text: string): void {
    if (this.#state === 'closed') return;
    this.#socket.send(text);
    this.#checkBuffer();
  }

  /** Past the WebSocket, which would make the frame again: what goes through it is written at once, so the order stays. */
  #writeFrame(frame: Buffer): void {
    if (this.#state === 'closed' || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#stream.write(frame);
    this.#checkBuffer();
  }

  #checkBuffer(): void {
    if (this.#stream.writableLength <= this.#options.maxBufferBytes) return;
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
    this.#operations.stopAll();
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
  return userOf(before) === userOf(now);
}

function textOfHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
