import type { Keyspace } from './keyspace/keyspace.ts';
import type { RequestLimits } from './protocol/request-parser.ts';
import type { ScriptEngine } from './scripting/script-engine.ts';
import type { BlockedClients } from './clients/blocked-clients.ts';
import type { Client } from './clients/client.ts';
import type { Password } from './clients/password.ts';
import type { Subscriptions } from './clients/subscriptions.ts';

/** What one server is bounded by. */
export interface ServerLimits extends RequestLimits {
  readonly maxClients: number;
  /** Unread bytes of replies at which a client is not read from, until it reads. */
  readonly maxQueuedReplyBytes: number;
  /** Unread bytes of messages at which a subscriber is cut off. */
  readonly maxQueuedMessageBytes: number;
}

/** One running server: what its commands work on. */
export interface Instance {
  readonly keyspace: Keyspace;
  readonly subscriptions: Subscriptions;
  readonly blocked: BlockedClients;
  readonly scripts: ScriptEngine;
  readonly clients: Map<number, Client>;
  readonly password: Password | undefined;
  readonly limits: ServerLimits;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds since 1970, with a fraction. */
  readonly clock: () => number;
  readonly totals: Totals;
  /** The port that clients connect to. */
  port: number;
}

/** Counted since the start; INFO returns them. */
export interface Totals {
  connections: number;
  rejectedConnections: number;
  commands: number;
}
