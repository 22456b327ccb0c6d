import type { ShareKeys } from '@trellis/runtime/admission';

/** What is known of the connection of a client: the members of a `net.Socket`. */
export interface ReaderConnection {
  /** With those that wait. */
  readonly bytesWritten: number;
  /** Bytes that wait on the connection itself. */
  readonly writableLength: number;
  readonly destroyed: boolean;
  destroy(): void;
}

/** What waits on a connection for its client, as one writer knows it. */
export interface UnreadBytes {
  /** Counts what waits now; cheap while that is nothing. */
  update(): void;
  /** Nothing of this writer waits any more. More than once does no harm. */
  end(): void;
}

/** A client that has not read all that it was answered. */
export class UnreadReader {
  readonly connection: ReaderConnection;
  readonly keys: ShareKeys;
  /** Those that write to it. */
  readonly writers: Set<UnreadBytes> = new Set<UnreadBytes>();
  /** Bytes that wait for it. */
  bytes = 0;
  /** Bytes by which it is behind the minimum rate. */
  lagBytes = 0;
  #taken: number;

  constructor(connection: ReaderConnection, keys: ShareKeys) {
    this.connection = connection;
    this.keys = keys;
    this.#taken = takenFrom(connection);
  }

  /** @param due bytes that it should have read since the last time, at least */
  fallBehind(due: number): void {
    const taken = takenFrom(this.connection);
    this.lagBytes = Math.max(0, this.lagBytes + due - (taken - this.#taken));
    this.#taken = taken;
  }

  isSlowerThan(other: UnreadReader): boolean {
    return this.lagBytes === other.lagBytes ? this.bytes > other.bytes : this.lagBytes > other.lagBytes;
  }
}

/** What the system has accepted, as the client has made room for it. */
function takenFrom({ bytesWritten, writableLength }: ReaderConnection): number {
  return bytesWritten - writableLength;
}
