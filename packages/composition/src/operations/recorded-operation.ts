import type { Diagnostic } from '../diagnostic.ts';

/** Who sends an operation, and how often. */
export interface OperationClient {
  readonly name: string;
  /** Absent where the client does not say it. */
  readonly version?: string | undefined;
  readonly requests: number;
  /** When it last did: RFC 3339. Absent: not known. */
  readonly lastUsed?: string | undefined;
  /** The OAuth client whose token it has. Absent: it has none, or it is not recorded. */
  readonly oauthClient?: string | undefined;
  /** Requests whose first error had this code. */
  readonly errors?: Readonly<Record<string, number>> | undefined;
  /** Requests that took at most so many milliseconds, and longer than the bound before; `more` is longer than all. */
  readonly latencyMs?: Readonly<Record<string, number>> | undefined;
}

/** An operation that clients have sent, or may send: without literals of theirs, without values of variables. */
export interface RecordedOperation {
  readonly id: string;
  /** A document; valid against the graph that it was sent to. */
  readonly document: string;
  /** Absent where the document has one operation. */
  readonly operationName?: string | undefined;
  readonly clients: readonly OperationClient[];
  /** Input fields and enum values that variables have held, by coordinate. Absent: not recorded. */
  readonly inputs?: ReadonlySet<string> | undefined;
  /** The largest values of variables that size lists. Absent: not recorded. */
  readonly slices?: readonly Readonly<Record<string, number>>[] | undefined;
  /** The variables of `@skip` and `@include` as they were decided. Absent: not recorded. */
  readonly conditions?: readonly Readonly<Record<string, boolean>>[] | undefined;
  /** Scopes of the callers; null for one without a token. Absent: not recorded. */
  readonly scopes?: readonly (readonly string[] | null)[] | undefined;
}

/** What was recorded, and whether nothing is missing from it. */
export interface RecordedOperations {
  readonly operations: readonly RecordedOperation[];
  /** Where an interval is missing, that something is unused is not known. */
  readonly isComplete: boolean;
  /** Of files that are damaged, one each. Absent: of none. */
  readonly problems?: readonly Diagnostic[] | undefined;
}
