import { own } from '@trellis/runtime/own-property';
import type { RuledConnections } from '../subgraphs/connections/subgraph-connections.ts';
import type { SubgraphHeaders } from '../subgraphs/subgraph-client.ts';
import type { SubgraphEndpoint } from '../supergraph/supergraph.ts';
import type { SettingsInForce } from '../settings/settings.ts';

/** How a subgraph is subscribed to. `auto`: as it answers. */
export type TransportChoice = 'auto' | 'websocket' | 'sse' | 'multipart' | 'callback';

/** Where a subgraph is subscribed to, by its address and the settings. */
interface UpstreamAddress {
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

/** One upstream subscription, over one connection. */
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

/** What a stream over HTTP says. What only shows that the connection lives is left out. */
export type StreamMessage =
  /** A response. */
  | { readonly kind: 'next'; readonly payload: unknown }
  /** There is no more. */
  | { readonly kind: 'complete' };

/**
 * Where and how a subgraph is subscribed to: as gateway.yaml says of it, else as the registry says. An address of its own says by its
 * scheme what it is for, where the transport is to be found out.
 */
export function upstreamTarget(
  { name: subgraph, url, subscription }: SubgraphEndpoint,
  settings: SettingsInForce['subscriptions'],
): UpstreamAddress {
  const special = own(settings.subgraphs, subgraph);
  const configured = own(settings.subgraphUrls, subgraph) ?? subscription?.url;
  const transport = special?.transport ?? subscription?.transport ?? settings.transport;
  const isWebSocketUrl = configured !== undefined && httpUrl(configured) !== configured;
  return {
    subgraph,
    url: configured ?? url,
    transport: transport === 'auto' && isWebSocketUrl ? 'websocket' : transport,
    isHttpOnly: configured !== undefined && !isWebSocketUrl,
    idleMs: special?.upstreamIdleMs ?? settings.upstreamIdleMs,
  };
}
