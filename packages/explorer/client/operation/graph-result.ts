/** An error as a response has it. */
export interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What one response, one part or one event says. */
export interface GraphResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** A part of a response that comes in parts: the format `deferSpec=20220824`. */
export interface ResponsePart extends GraphResult {
  readonly incremental?: readonly IncrementalItem[];
  readonly hasNext?: boolean;
}

/** One deferred fragment, or items of a streamed list. */
export interface IncrementalItem extends GraphResult {
  readonly label?: string;
  readonly path?: readonly (string | number)[];
  /** Of a list, from the index at the end of the path on; null where they failed. */
  readonly items?: readonly unknown[] | null;
}
