/** Something that happened to one thing, published with its state, so that receivers need to ask no one. */
export interface DomainEvent {
  /** UUID v7. */
  readonly id: string;
  /** For example `post.saved`. */
  readonly type: string;
  /** The id of the thing it happened to. Its events keep their order. */
  readonly subject: string;
  /** JSON; its shape is the contract of the type. */
  readonly payload: unknown;
}

/** An event that has its place among all events of its service. */
export interface SequencedEvent extends DomainEvent {
  /** Rises from 1 without a gap. */
  readonly seq: number;
  readonly occurredAt: Date;
}
