import type { Bytes } from '../bytes.ts';
import type { ProtocolVersion } from '../protocol/encode-reply.ts';
import type { Reply } from '../protocol/reply.ts';

/** Between MULTI and EXEC: what waits for it. */
export interface Transaction {
  readonly requests: (readonly Bytes[])[];
  /** A command could not even be queued: EXEC will refuse. */
  broken: boolean;
}

/** Where a client's replies go. */
export interface ClientOutput {
  send(reply: Reply, version: ProtocolVersion): void;
  /** Ends the connection when what was sent is written. */
  end(): void;
}

/** How a client is known to others. */
export interface ClientAddress {
  readonly remote: string;
  readonly local: string;
}

/** One connection's state, which its commands read and change. */
export class Client {
  readonly id: number;
  readonly address: ClientAddress;
  readonly connectedAt: number;
  readonly watchedKeys: Set<Bytes> = new Set();
  readonly channels: Set<Bytes> = new Set();
  readonly patterns: Set<Bytes> = new Set();
  readonly #output: ClientOutput;
  name: Bytes = '';
  libraryName: Bytes = '';
  libraryVersion: Bytes = '';
  protocol: ProtocolVersion = 2;
  authenticated: boolean;
  transaction: Transaction | undefined;
  /** A watched key has changed. */
  watchBroken = false;
  lastCommand: Bytes = 'NULL';
  lastCommandAt: number;

  constructor(id: number, address: ClientAddress, output: ClientOutput, authenticated: boolean, now: number) {
    this.id = id;
    this.address = address;
    this.#output = output;
    this.authenticated = authenticated;
    this.connectedAt = now;
    this.lastCommandAt = now;
  }

  /** Channels and patterns, as SUBSCRIBE counts them. */
  get subscriptionCount(): number {
    return this.channels.size + this.patterns.size;
  }

  send(reply: Reply): void {
    this.#output.send(reply, this.protocol);
  }

  end(): void {
    this.#output.end();
  }
}
