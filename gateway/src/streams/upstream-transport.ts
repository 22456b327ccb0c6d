import type { RuledConnections } from '../subgraphs/connections/subgraph-connections.ts';
import type { SubgraphHeaders } from '../subgraphs/subgraph-client.ts';

/** How a subgraph is subscribed to. `auto`: as it answers. */
export type TransportChoice = 'auto' | 'websocket' | 'sse' | 'multipart' | 'callback';

/** Where a subgraph is subscribed to, by its address and the settings. */
export interface UpstreamAddress {
  readonly subgraph: string;
  /** http, https, ws or wss: of these, the one that fits the transport is used. */
  readonly url: string;
  /** Whether `auto` leaves out the WebSocket. */
  readonly isHttpOnly: boolean;
  readonly transport: TransportChoice;
  /** After which a stream over HTTP without a byte is taken for broken, milliseconds. */
  readonly idleMs: number;
}

/** Where a subgraph is subscribed to, and over what. */
export interface UpstreamTarget extends UpstreamAddress {
  readonly connections: Pick<RuledConnections, 'id' | 'tls' | 'isHttp2Only' | 'streamAgent' | 'streamPoolOf'>;
  /** Headers that are the same for all callers: the upgrade to a WebSocket has them, too. */
  readonly fixedHeaders: SubgraphHeaders;
}

/** What is subscribed to, and for whom. */
export interface UpstreamMessage {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
  readonly headers: SubgraphHeaders;
  readonly lastEventId: string | undefined;
}

/** Takes what comes. Nothing follows the last two. */
export interface UpstreamSink {
  /** @param payload a response as parsed */
  next(payload: unknown): void;
  complete(): void;
  /** @param error a list where the subgraph rejects; else why the connection could not be opened, or broke */
  error(error: unknown): void;
}

/** One subscription at a subgraph, over one connection. */
export interface UpstreamConnection {
  /** The subgraph has the subscription: events may come from then on. */
  isEstablished(): boolean;
  cancel(): void;
}

/** The largest event. */
export const MAX_EVENT_BYTES: number = 16 * 1_048_576;

/** For a connection to be there, milliseconds. */
export const CONNECT_MS = 10_000;

/** The same address for WebSockets. */
export function webSocketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

/** The same address for HTTP. */
export function httpUrl(url: string): string {
  return url.replace(/^ws/, 'http');
}
