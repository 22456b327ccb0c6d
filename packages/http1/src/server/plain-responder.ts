import type { Socket } from 'node:net';
import type { PlainRequest, PlainRequestRules, WholeResponse } from './plain-messages.ts';

/** Who answers plain requests. */
export interface PlainResponder<Exchange extends PlainExchange, Response extends WholeResponse> {
  /** Those that hold for the next request. */
  readonly rules: PlainRequestRules;
  readonly times: PlainTimes;
  /**
   * Lets a connection in, until its place is left.
   *
   * @returns nothing where it is rejected: then it is no longer the server's
   */
  admit(socket: Socket): ConnectionPlace | undefined;
  /** Begins an exchange. */
  begin(request: PlainRequest, socket: Socket): Exchange;
  /** Never rejects. */
  response(exchange: Exchange, request: PlainRequest): Promise<Response>;
  /** Counts what its client has not read of a response. */
  unread(exchange: Exchange, response: Response, socket: Socket): UnreadBytes;
  /** Counts what its client has sent behind it. */
  hold(exchange: Exchange): HeldBytes;
  /** Called once for each exchange that has begun: its response is written, or its client has disconnected. */
  ended(exchange: Exchange): void;
  /** Something that must not happen: the connection ends. */
  failed(error: unknown): void;
}

/** A request that is being answered. */
export interface PlainExchange {
  /** Its response is made. More than once does no harm. */
  settle(): void;
  /** Its client has disconnected. */
  abandon(): void;
}

/** The place of a connection among those that are open. */
export interface ConnectionPlace {
  leave(): void;
}

/** How much of one response waits for its client. */
export interface UnreadBytes {
  /** Counts what waits now; cheap while that is nothing. */
  update(): void;
  /** Nothing of it waits any more. More than once does no harm. */
  end(): void;
}

/** How much a client has sent behind a request that is not answered. */
export interface HeldBytes {
  /**
   * From now on it is so much.
   *
   * @param bytes in all
   * @returns what speaks against more than before, if anything
   */
  hold(bytes: number): string | undefined;
  /** Nothing is held any more. More than once does no harm. */
  release(): void;
}

/** How long connections are stored. Milliseconds. */
export interface PlainTimes {
  /** To the first request. */
  readonly firstRequestMs: number;
  /** From a response to the next request. */
  readonly keepAliveMs: number;
  /** While a client does not read its response; longer than a response may take to be made. */
  readonly silentMs: number;
}
