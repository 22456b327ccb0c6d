/** What can be wrong with operations, and the exit status of a command that meets it. */
export const operationsProblems = {
  /** An option or a value of the command line makes no sense. */
  INVALID_OPTION: 64,
  /** The database does not answer, or rejects the role. */
  DATABASE_UNAVAILABLE: 69,
  /** The database has no tables for recorded operations, or those of another version. */
  TABLES_MISSING: 69,
  /** What holds the recorded operations deletes by rules of its own. */
  NOT_PRUNABLE: 1,
  /** A file or folder holds no operations that can be published. */
  INVALID_LIST: 1,
  /** Two texts of a list have one id. */
  DUPLICATE_ID: 1,
  /** The folder of lists is damaged, or of a newer version. */
  INVALID_LISTS: 1,
  /** No list of that client and version is published. */
  UNKNOWN_LIST: 1,
  /** A list of that client and version is published already, with other operations. */
  LIST_EXISTS: 1,
  /** What operations are checked against is no supergraph. */
  INVALID_GRAPH: 1,
  /** An operation of a list is not served by the graph. */
  OPERATION_NOT_SERVED: 1,
} as const;

/** A code of {@link operationsProblems}. */
export type OperationsProblemCode = keyof typeof operationsProblems;

/** Something is wrong with recorded or listed operations; the message is a sentence for users. */
export class OperationsProblem extends Error {
  override readonly name = 'OperationsProblem';
  readonly code: OperationsProblemCode;

  constructor(code: OperationsProblemCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
