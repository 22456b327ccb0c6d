import type { GraphQLError } from 'graphql';
import type { CachePolicy } from '../caching/cache-policy.ts';

/** What the responses of subgraphs say of how long they may be stored. */
export interface SubgraphCaching {
  /** The strictest of what they say; absent where none says anything. */
  readonly policy: CachePolicy | undefined;
  /** Whether one of them says nothing. */
  readonly hasUndated: boolean;
}

/** The response to an operation. */
export interface ExecutionResult {
  /** The tree by response keys, to be read by own properties. Parsed at the first reading when the response was written at once. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Absent when there are none. Each has `extensions.code`, and a path where a field is concerned. */
  readonly errors?: readonly GraphQLError[] | undefined;
  /**
   * Objects in the data, itself not counted: what the operation turned out to cost. An object that stands in many places and
   * is written once counts in each of them, what is below it once. A cached response has none.
   */
  readonly objects: number;
  /** Errors beyond those that are reported, and of subgraphs inside what became null because of others: for the log alone. */
  readonly untold?: readonly GraphQLError[] | undefined;
  /** `data` as JSON, when the fast path made it: write this instead of serializing again. */
  readonly dataText?: string | undefined;
  /** The response `{"data":…}` in UTF-8, when there are no errors and it is large enough to be better sent as bytes. */
  readonly body?: Buffer | undefined;
  /** How long the responses of subgraphs may be stored, by what they say. */
  readonly caching?: SubgraphCaching | undefined;
}
