import type { DocumentNode } from 'graphql';

/** What the storm's process says first: what a supergraph is composed of. */
export interface StormSubgraph {
  readonly name: string;
  readonly url: string;
  readonly typeDefs: DocumentNode;
}

/** What the storm's process is asked. */
export type StormRequest = SubscribeRequest | BlowRequest | CountRequest;

/** Opens a subscription to each of so many topics. Replied to when all are sent. */
export interface SubscribeRequest {
  readonly kind: 'subscribe';
  /** Of the gateway, without a path. */
  readonly url: string;
  readonly topics: number;
  /** The first of the addresses that it comes from: see `addressOf`. */
  readonly firstNetwork: number;
}

/** Publishes one event on each of so many topics, again and again in equal portions, or stops that. Not replied to. */
export interface BlowRequest {
  readonly kind: 'blow';
  readonly topics: number;
  /** Rounds a second; 0 stops. */
  readonly perSecond: number;
}

/** Replied to with {@link EventCounts}. */
export interface CountRequest {
  readonly kind: 'count';
}

/** Events since the start. */
export interface EventCounts {
  readonly published: number;
  /** Those that a subscriber was sent whole, with what another subgraph knows. */
  readonly delivered: number;
}
