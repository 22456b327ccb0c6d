import type { Caller } from '../../identity/caller.ts';
import type { InFlightBytes } from '../../load/in-flight-bytes.ts';
import type { UnreadResponses } from '../../load/unread-responses.ts';
import type { ClientHeaders } from '../../request/context.ts';
import type { CallerWatch, RunsForCaller } from '../../streams/caller-watch.ts';
import type { Heartbeats } from '../delivery/heartbeats.ts';
import type { UpgradedSocket } from './client-socket.ts';
import type { OperationObserver, OperationOptions } from './connection-operations.ts';
import type { WireProtocol } from './wire-protocol.ts';

/** How connections are stored. */
export interface ConnectionOptions extends OperationOptions {
  /** Where they are opened. */
  readonly path: string;
  readonly heartbeats: Heartbeats;
  readonly watch: CallerWatch;
  /** Bounds what clients leave unread. */
  readonly unread: UnreadResponses;
  /** Bounds what they have sent and is not answered. */
  readonly inFlight: InFlightBytes;
  readonly observer: ConnectionObserver;
}

/** One client. */
export interface OpenConnection extends RunsForCaller {
  /**
   * Ends the connection in a way that makes clients connect again. Queries and mutations that run are answered first.
   *
   * @returns settles when the client has closed it as well, or was left
   */
  drain(signal: AbortSignal): Promise<void>;
}

/** Called for connections, for logs and metrics. */
export interface ConnectionObserver extends OperationObserver {
  /** @returns false when the user has as many connections as one may have */
  admitted(connection: OpenConnection, caller: Caller): boolean;
  slowConsumer(): void;
  failed(error: unknown): void;
  /** @param caller who was admitted; absent when it never got that far */
  closed(connection: OpenConnection, caller: Caller | undefined): void;
}

/** A socket that was opened, and by which request. */
export interface OpenedSocket extends UpgradedSocket {
  readonly headers: ClientHeaders;
  readonly address: string;
  /** Thumbprint of the client's certificate, as a trusted proxy says. */
  readonly certificate: string | undefined;
  /** On which both sides have agreed. */
  readonly protocol: WireProtocol;
}
