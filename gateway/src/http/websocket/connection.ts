import { CloseCode, MessageType } from 'graphql-ws';
import type { ShareKeys } from '@trellis/runtime/admission';
import type { Caller } from '../../identity/caller.ts';
import type { GraphRequest } from '../../request/context.ts';
import { heldTooMuch, RequestError } from '../../errors.ts';
import { authenticate, type PresentedCredentials } from '../../pipeline/authenticate.ts';
import type { IncrementalDialect } from '../../execution/frames.ts';
import type { HeartbeatTarget } from '../delivery/heartbeats.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import {
  InvalidMessage,
  readClientMessage,
  type ClientMessage,
  type MessagePayload,
} from './client-message.ts';
import { ClientSocket } from './client-socket.ts';
import { ConnectionIdentity } from './connection-identity.ts';
import { ConnectionOperations, tooManyOperations } from './connection-operations.ts';
import type { ConnectionOptions, OpenConnection, OpenedSocket } from './connection-options.ts';
import { readPayload } from './connection-payload.ts';
import type { WireProtocol } from './wire-protocol.ts';

/** Codes of RFC 6455 §7.4.1 and its registry. */
const NORMAL_CLOSURE = 1000;
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

/**
 * One client over WebSocket. What it asks goes through the pipeline like any request; here are the rules of the connection
 * alone, which are those of graphql-transport-ws for every sub-protocol.
 */
export class Connection implements OpenConnection, HeartbeatTarget {
  readonly #socket: ClientSocket;
  readonly #options: ConnectionOptions;
  /** Those that held when it was opened. */
  readonly #rules: TransportSettings['subscriptions']['webSocket'];
  readonly #protocol: WireProtocol;
  readonly #operations: ConnectionOperations;
  readonly #identity: ConnectionIdentity;
  readonly #initTimer: NodeJS.Timeout;
  /** Whose share it counts in. */
  readonly #keysOf: () => ShareKeys;
  #state: 'opened' | 'authenticating' | 'acknowledged' | 'closed' = 'opened';
  /** The client chooses it in `connection_init`: `incrementalSpec: "v0.2"`. */
  #dialect: IncrementalDialect = '20220824';
  /** As whom it was counted. */
  #countedAs: Caller | undefined;
  #messages = 0;
  /** Settles when it is acknowledged, or closed. */
  #initialised: Promise<void> | undefined;

  constructor(
    { headers, address, certificate, protocol, ...upgraded }: OpenedSocket,
    options: ConnectionOptions,
  ) {
    this.#options = options;
    this.#protocol = protocol;
    this.#identity = new ConnectionIdentity({ headers, address, certificate, path: options.path });
    const { unread, inFlight } = options;
    const { bufferBytes: maxBufferBytes, webSocket } = options.settings().subscriptions;
    this.#rules = webSocket;
    const keysOf = (): ShareKeys => options.services().shares.of(this.caller, address).keys;
    this.#keysOf = keysOf;
    this.#socket = new ClientSocket(
      upgraded,
      { maxBufferBytes, unread, inFlight, keysOf },
      {
        onMessage: (text, bytes) => this.#onMessage(text, bytes),
        onPing: () => this.#countMessage(),
        onOverrun: () => this.#onOverrun(),
        onTooMuchHeld: () => this.#close(TRY_AGAIN_LATER, 'Too much is sent at a time', false),
        onClose: () => this.#onClose(),
      },
    );
    const client = {
      caller: () => this.#identity.runsAs,
      shareKeys: keysOf,
      isKnown: () => this.caller.authenticated || options.services().authenticator.isKnown(undefined),
      dialect: () => this.#dialect,
      protocol,
    };
    this.#operations = new ConnectionOperations(options, client, this.#socket);
    this.#initTimer = setTimeout(
      () => this.#close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout'),
      webSocket.initMs,
    );
    options.heartbeats.add(this);
  }

  get caller(): Caller {
    return this.#identity.caller;
  }

  onTokenEnd(): void {
    this.#close(CloseCode.Forbidden, 'Forbidden');
  }

  heartbeat(): void {
    this.#messages = 0;
    this.#socket.heartbeat();
  }

  async drain(signal: AbortSignal): Promise<void> {
    this.#operations.stopStreams();
    await this.#operations.answered(signal);
    this.#close(SERVICE_RESTART, 'Service restart');
    await this.#socket.closed();
  }

  #onMessage(text: string | undefined, bytes: number): void {
    if (this.#state === 'closed' || !this.#countMessage()) return;
    try {
      if (text === undefined) throw new InvalidMessage('A message has to be text');
      this.#handle(readClientMessage(text, this.#options.settings().limits, this.#protocol), bytes);
    } catch (error) {
      if (error instanceof InvalidMessage) this.#close(CloseCode.BadRequest, error.message);
      else this.#fail(error);
    }
  }

  #countMessage(): boolean {
    this.#messages += 1;
    if (this.#messages <= this.#rules.maxMessages) return true;
    this.#close(POLICY_VIOLATION, 'Too many messages');
    return false;
  }

  #handle(message: ClientMessage, bytes: number): void {
    switch (message.type) {
      case MessageType.ConnectionInit:
        this.#initialised = this.#initialise(message.payload).catch((error: unknown) => this.#fail(error));
        return;
      case MessageType.Ping:
        this.#onPing(message.payload).catch((error: unknown) => this.#fail(error));
        return;
      case MessageType.Pong:
        return;
      case MessageType.Subscribe:
        this.#subscribe(message.id, message.request, bytes);
        return;
      case MessageType.Complete:
        this.#operations.stop(message.id);
        return;
      case 'terminate':
        this.#close(NORMAL_CLOSURE, 'Terminated');
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
    const members = readPayload(payload);
    const credentials = this.#identity.credentialsAtInit(members);
    const caller = await this.#authenticate(credentials);
    if (!caller || this.#isClosed()) return;
    if (!this.#count(caller)) return;
    this.#identity.addHeaders(payload, this.#options.services().headersForSubgraphs.fromPayload);
    this.#identity.software = members.software;
    if (payload['incrementalSpec'] === 'v0.2') this.#dialect = 'v0.2';
    this.#state = 'acknowledged';
    this.#runAs(caller, credentials);
    this.#send({ type: MessageType.ConnectionAck });
  }

  /** A token in the payload takes the place of the one until now: it has to be of the same user. */
  async #onPing(payload: MessagePayload): Promise<void> {
    const members = readPayload(payload);
    if (members.authorization !== undefined && this.#state === 'acknowledged') {
      const credentials = this.#identity.credentialsOf(members);
      const caller = await this.#authenticate(credentials);
      if (!caller || this.#isClosed()) return;
      if (!this.#identity.isSameUser(caller)) return this.#close(CloseCode.Forbidden, 'Forbidden');
      if (!this.caller.authenticated && !this.#count(caller)) return;
      this.#options.watch.delete(this);
      this.#runAs(caller, credentials);
      this.#operations.renewStreams(caller);
    }
    this.#send({ type: MessageType.Pong });
  }

  /** As a connection of the user. @returns false when it was closed for it */
  #count(caller: Caller): boolean {
    if (this.#options.observer.admitted(this, caller)) {
      this.#countedAs = caller;
      return true;
    }
    this.#close(TRY_AGAIN_LATER, 'Too many connections');
    return false;
  }

  #runAs(caller: Caller, credentials: PresentedCredentials): void {
    this.#identity.become(caller, credentials);
    this.#options.watch.add(this);
  }

  /** @returns nothing when the connection was closed for it */
  async #authenticate(credentials: PresentedCredentials): Promise<Caller | undefined> {
    const services = this.#options.services();
    try {
      return await authenticate(credentials, services, (reason) =>
        services.observer.invalidToken('websocket', reason),
      );
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const isBad = error.errors[0]?.extensions['code'] === 'UNAUTHENTICATED';
      if (isBad) this.#close(CloseCode.Forbidden, 'Forbidden');
      else this.#close(TRY_AGAIN_LATER, 'Try again later');
      return undefined;
    }
  }

  #subscribe(id: string, request: GraphRequest | RequestError, bytes: number): void {
    const isEarly = this.#protocol.asksEarly && this.#state === 'authenticating';
    if (this.#state !== 'acknowledged' && !isEarly)
      return this.#close(CloseCode.Unauthorized, 'Unauthorized');
    if (this.#operations.has(id))
      return this.#close(
        CloseCode.SubscriberAlreadyExists,
        `Subscriber for ${id} already exists`.slice(0, 120),
      );
    if (request instanceof RequestError) return this.#operations.reject(id, request);
    if (this.#operations.size >= this.#rules.maxOperations)
      return this.#operations.reject(id, tooManyOperations(this.#rules.maxOperations));
    const held = this.#options.inFlight.open(this.#keysOf);
    const rejection = held.hold(bytes);
    if (rejection !== undefined) return this.#operations.reject(id, heldTooMuch(rejection));
    const begins = isEarly ? this.#initialised : undefined;
    this.#operations.run(id, request, held, begins).catch((error: unknown) => this.#fail(error));
  }

  #send(message: object): void {
    this.#socket.write(JSON.stringify(message));
  }

  #onOverrun(): void {
    this.#options.observer.slowConsumer();
    this.#close(TRY_AGAIN_LATER, 'The client reads too slowly');
  }

  #fail(error: unknown): void {
    this.#options.observer.failed(error);
    this.#close(CloseCode.InternalServerError, 'Internal server error');
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #close(code: number, reason: string, isRead = true): void {
    if (this.#state === 'closed') return;
    const rejection = this.#state === 'authenticating' ? this.#protocol.rejection(reason) : undefined;
    this.#end(); // before anything is sent: where that overruns the buffer, it is closed only once
    if (rejection) this.#send(rejection);
    this.#socket.close(code, reason, isRead);
  }

  #onClose(): void {
    this.#end();
    this.#options.observer.closed(this, this.#countedAs);
  }

  /** Ends all that runs. */
  #end(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearTimeout(this.#initTimer);
    this.#options.heartbeats.delete(this);
    this.#options.watch.delete(this);
    this.#operations.stopAll();
  }
}
