import { z } from 'zod';
import type { LiveSettings, StreamSettings } from './stream-settings.ts';

/** How connections over WebSocket are kept. */
export interface WebSocketSettings {
  /** Milliseconds for `connection_init` to come. */
  readonly initMs: number;
  /** Of a process. */
  readonly maxConnections: number;
  /** Of one address that is not known as a user's. */
  readonly maxConnectionsPerAddress: number;
  readonly maxConnectionsPerUser: number;
  /** Operations that run at once on a connection. */
  readonly maxOperations: number;
  /** Messages of a client between two heartbeats. */
  readonly maxMessages: number;
  readonly maxMessageBytes: number;
}

/** How streams reach clients. */
export interface TransportSettings extends WebSocketSettings {
  /** Bytes that wait for a client before it is given up. */
  readonly bufferBytes: number;
  readonly heartbeatMs: number;
  /** Milliseconds for what runs on WebSockets when the gateway is stopped. */
  readonly drainMs: number;
}

/** What of some settings an operator gives. */
type Configured<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Subscriptions and the transports that carry streams, as an operator configures them. */
export interface SubscriptionFileSettings
  extends
    Configured<Pick<StreamSettings, 'subgraphUrls' | 'afterGap' | 'maxPerUser'>>,
    Configured<Omit<TransportSettings, keyof WebSocketSettings>> {
  readonly webSocket?: Configured<WebSocketSettings> | undefined;
}

/** Live queries, as an operator configures them. */
export type LiveFileSettings = Configured<LiveSettings>;

const count = (description: string): z.ZodOptional<z.ZodNumber> =>
  z.int().min(1).optional().describe(description);

const webSocketUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol), {
    error: 'must be an absolute ws or wss URL',
  });

const webSocket = z
  .strictObject({
    initMs: count('Milliseconds for connection_init to come. Default 3,000.'),
    maxConnections: count('Connections of a process. Default 20,000.'),
    maxConnectionsPerAddress: count(
      'Connections of one address, an IPv6 /64 being one, without those of users. Networks around it may have more, and all of them less as fewer are free. Default half of maxConnections.',
    ),
    maxConnectionsPerUser: count('Connections of one user. Default 100.'),
    maxOperations: count('Operations that run at once on a connection. Default 100.'),
    maxMessages: count('Messages of a client between two heartbeats. Default 2,000.'),
    maxMessageBytes: count('Bytes of a message. Default limits.bodyBytes.'),
  })
  .describe('Connections over WebSocket. A change takes effect at the next start.');

/** The schema of `subscriptions` in `gateway.yaml`. */
export const subscriptionSettings: z.ZodType<SubscriptionFileSettings> = z
  .strictObject({
    subgraphUrls: z
      .record(z.string(), webSocketUrl)
      .optional()
      .describe("WebSocket addresses by subgraph, where they do not follow from the subgraphs' URLs."),
    afterGap: z
      .enum(['end', 'continue'])
      .optional()
      .describe(
        'What becomes of a subscription whose subgraph was away and can not resume it: it ends with SUBSCRIPTION_INTERRUPTED, or goes on without what was missed. Default end.',
      ),
    maxPerUser: count(
      'Subscriptions and live queries of one user; of one address without a user. Default 500.',
    ),
    bufferBytes: count(
      'Bytes that wait for a client before it is given up. Default 1,048,576. A change takes effect at the next start.',
    ),
    heartbeatMs: z
      .int()
      .min(100)
      .optional()
      .describe(
        'Milliseconds between two heartbeats. Default 12,000. A change takes effect at the next start.',
      ),
    drainMs: count(
      'Milliseconds for what runs on WebSockets when the gateway is stopped. Default 5,000. A change takes effect at the next start.',
    ),
    webSocket: webSocket.optional(),
  })
  .describe('Subscriptions, and how streams of results are sent.');

/** The schema of `live` in `gateway.yaml`. */
export const liveSettings: z.ZodType<LiveFileSettings> = z
  .strictObject({
    intervalMs: count('Milliseconds between two resolutions where the query has no throttle. Default 5,000.'),
    minIntervalMs: count('The shortest interval that a client may ask for. Default 1,000.'),
    maxIntervalMs: count('The longest. Default 300,000.'),
    maxPerUser: count('Live queries of one user; of one address without a user. Default 20.'),
  })
  .describe('Queries with @live.');
