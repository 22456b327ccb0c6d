/** A client that sends operations with a field. */
export interface UsingClient {
  readonly name: string;
  /** Empty where it does not say. */
  readonly version: string;
  readonly requests: number;
  /** ISO 8601. Absent: not recorded. */
  readonly lastUsed?: string | undefined;
}

/** A recorded operation that uses a field. */
export interface UsingOperation {
  /** SHA-256 of its document. */
  readonly id: string;
  /** Empty where its client gives it none. */
  readonly name: string;
  readonly requests: number;
  /** The busiest first. */
  readonly clients: readonly UsingClient[];
}

/** Who has used a field, as far as it was recorded. */
export interface RecordedUse {
  /** `User.name`. */
  readonly field: string;
  /** When the first interval began that was read, and the last one ended: ISO 8601. Absent: none was read. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether nothing of this time is missing. Where something is, a field without operations may be in use. */
  readonly complete: boolean;
  /** All that were recorded in this time, with the field or without. */
  readonly requests: number;
  /** Requests of operations that use the field. */
  readonly requestsWithField: number;
  /** Operations that use it, the busiest first. */
  readonly operations: readonly UsingOperation[];
  /** How many more use it. */
  readonly further: number;
}

/** What a search is made with. */
export interface FieldSearch {
  /** Name of an object type or interface. */
  readonly type: string;
  readonly field: string;
  /** The supergraph that recorded operations are read with. */
  readonly sdl: string;
  /** Milliseconds since 1970: intervals that ended before are not read. */
  readonly sinceMs: number;
  /** Milliseconds for reading: what is not read by then is missing. */
  readonly budgetMs: number;
  /** Tables of recorded usage. */
  readonly database?: string | undefined;
  /** Folder of recorded usage, where there are no tables. */
  readonly directory?: string | undefined;
}

/** What came of a search. */
export type SearchOutcome =
  | {
      readonly kind: 'found';
      readonly use: RecordedUse;
      /** Why it could not be read to its end. */
      readonly interruption?: string;
    }
  /** The supergraph has no such field. */
  | { readonly kind: 'unknown field' }
  /** What was recorded can't be read. */
  | { readonly kind: 'unreadable'; readonly message: string };
