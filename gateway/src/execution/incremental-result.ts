import type { GraphQLError } from 'graphql';
import type { ForwardedHeaders } from '../plan/forwarded-headers.ts';
import type { PathKey } from './failure.ts';

/** A part of a response that is pending: listed, and not delivered yet. */
export interface PendingPart {
  /** Unique in the response. */
  readonly id: string;
  /** The client's label of the `@defer` or `@stream`. */
  readonly label: string | undefined;
  /** The object that the part adds to, or the streamed list, from the top of the response. */
  readonly path: readonly PathKey[];
  /** Of a streamed list: how many items the client has. Absent for a deferred fragment. */
  readonly items?: number | undefined;
}

/** The part of a response that comes first. */
export interface FirstPart<Failure> {
  /** JSON; `null` where an error reached the root. */
  readonly dataText: string;
  readonly errors: readonly Failure[];
  /** As in an execution's result. */
  readonly objects: number;
  /** As in an execution's result: those that have come by now. */
  readonly headers?: ForwardedHeaders | undefined;
  /** As in an execution's result: for the log alone. With the last part of a response. */
  readonly unreported?: readonly GraphQLError[] | undefined;
}

/** Fields that a part adds to one object of what the client has. */
export interface AddedFields {
  /** The object, from the top of the response: the part's own, or one within it that came before. */
  readonly path: readonly PathKey[];
  /** JSON of an object; the client has none of its keys. */
  readonly dataText: string;
}

/** A part of a response that is complete. */
export interface CompletedPart<Failure> {
  readonly pending: PendingPart;
  /** JSON of the whole fragment, what came before included; absent when a null reached what the client has: the part failed. */
  readonly dataText: string | undefined;
  /** The same without what came before. Empty when the part failed. */
  readonly added: readonly AddedFields[];
  /** Of this part alone. */
  readonly errors: readonly Failure[];
  /** That it adds to what the client has. */
  readonly objects: number;
}

/** Items of a streamed list that have arrived. */
export interface StreamedItems<Failure> {
  /** With the number of items before these. */
  readonly pending: PendingPart;
  /** JSON of each. */
  readonly itemTexts: readonly string[];
  /** Of these items. */
  readonly errors: readonly Failure[];
  /** That they add to what the client has. */
  readonly objects: number;
  /** Whether no more will come. */
  readonly isLast: boolean;
  /** Why the list ends here, although there are more items: the next one is a null that it can't hold. Absent where it does not. */
  readonly endedBy?: readonly Failure[] | undefined;
}

/** What came together. */
export interface IncrementalUpdate<Failure = GraphQLError> {
  readonly completed: readonly CompletedPart<Failure>[];
  readonly streamed: readonly StreamedItems<Failure>[];
  /** Parts that this update lists as pending: deferred fragments and streamed lists inside those that have arrived. */
  readonly pending: readonly PendingPart[];
  /** Whether more will come. */
  readonly hasNext: boolean;
  /** What is said beside the data, with the last update. Absent for most clients. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** As of {@link FirstPart}. */
  readonly unreported?: readonly GraphQLError[] | undefined;
}

/** A response in parts, in the words of no protocol. */
export interface IncrementalResult<First = FirstPart<GraphQLError>, Failure = GraphQLError> {
  readonly initial: First;
  /** What the first part lists as pending. Empty: it is the whole response. */
  readonly pending: readonly PendingPart[];
  /** Ends after the update with `hasNext: false`. To give up a response, abort the signal that it was asked with. */
  readonly updates: AsyncIterable<IncrementalUpdate<Failure>>;
}
