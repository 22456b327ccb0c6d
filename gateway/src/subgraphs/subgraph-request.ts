import type { QueueCaller } from '@trellis/runtime/admission';
import type { HeadField } from '@trellis/http1';
import type { StreamedBody } from './connections/secure-pool.ts';

/** Names in lower case. */
export type SubgraphHeaders = Readonly<Record<string, string>>;

/** One HTTP request to a subgraph. */
export interface SubgraphRequest {
  readonly subgraph: string;
  readonly url: string;
  /** The JSON text of the GraphQL request. */
  readonly body: string;
  /** Sent in its place. It can be sent once: the request is never sent again. */
  readonly streamed?: StreamedBody | undefined;
  /** Beside content-type, accept and content-length, which the client sets. */
  readonly headers: SubgraphHeaders;
  /** Whether sending it twice may do harm: a mutation is never sent again. */
  readonly isMutation: boolean;
  /** In whose share of the subgraph it counts. @default the gateway's own */
  readonly sharedBy?: QueueCaller | undefined;
  /** Aborts the request. The subgraph's socket is closed, or the request taken from the queue. */
  readonly signal: AbortSignal;
  /** Names of the headers that are wanted of the response, in lower case. @default none */
  readonly wanted?: Pick<ReadonlySet<string>, 'has'> | undefined;
  /** From sending to the last byte of the response, milliseconds; sent to the subgraph. @default that of the client */
  readonly timeoutMs?: number;
  /** The largest response, before and after decompression. @default that of the client */
  readonly maxBytes?: number;
}

/** What a subgraph sent back, well-formed or not. */
export interface SubgraphResponse {
  readonly status: number;
  /** The decompressed body. */
  readonly body: Buffer;
  /**
   * Gives the memory of the body to the next response; absent where it is not used again. To be called once at most, by the code
   * that has read the body, and stores no part of it. Where it is not called, garbage collection takes the memory.
   */
  readonly release?: (() => void) | undefined;
  /** The value of its `Cache-Control`. */
  readonly cacheControl?: string | undefined;
  /** The headers that were wanted, in the order in which they came. Absent where none was. */
  readonly fields?: readonly HeadField[] | undefined;
}

/** Sends subgraph requests. */
export interface SubgraphClient {
  /**
   * @throws SubgraphFailure when there is no response: no connection, time-out, too large, a redirect
   * @throws the signal's reason when that ended it
   */
  send(request: SubgraphRequest): Promise<SubgraphResponse>;
  /** Waits for what is in flight, then closes the sockets. */
  close(): Promise<void>;
}
