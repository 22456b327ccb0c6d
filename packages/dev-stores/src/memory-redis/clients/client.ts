import type { Bytes } from '../bytes.ts';
import type { ProtocolVersion } from '../protocol/encode-reply.ts';
import type { Reply } from '../protocol/reply.ts';

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
  readonly channels: Set<Bytes> = new Set();
  readonly #output: ClientOutput;
  name: Bytes = '';
  libraryName: Bytes = '';
  libraryVersion: Bytes = '';
  protocol: ProtocolVersion = 2;
  authenticated: boolean;

  constructor(id: number, address: ClientAddress, output: ClientOutput, authenticated: boolean, now: number) {
    this.id = id;
    this.address = address;
    this.#output = output;
    this.authenticated = authenticated;
    this.connectedAt = now;
  }

  send(reply: Reply): void {
    this.#output.send(reply, this.protocol);
  }

  end(): void {
    this.#output.end();
  }
}
