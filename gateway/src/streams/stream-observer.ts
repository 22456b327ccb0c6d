/** What runs as a stream. */
export type StreamKind = 'subscription' | 'live';

/** Called for streams, for logs and metrics. */
export interface StreamObserver {
  opened(kind: StreamKind): void;
  /** @param outcome `stopped` by the client, `completed` by the source, else the code of the error that ended it */
  ended(kind: StreamKind, outcome: string): void;
  /** One result went to this many clients. */
  delivered(kind: StreamKind, clients: number): void;
  /** The gateway has begun (1) or ended (-1) an upstream subscription. */
  upstream(subgraph: string, change: 1 | -1): void;
  /** The connection of an upstream subscription broke. */
  interrupted(subgraph: string, error: Error): void;
}
