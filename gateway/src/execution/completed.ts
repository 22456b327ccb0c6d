import type { GraphQLError } from 'graphql';
import type { PreparedStream } from '../plan/prepared-operation.ts';
import type { DeferredShape, FieldShape, ValueShape } from '../plan/response-shape.ts';
import type { DataObject, PathKey } from './failure.ts';
import type { ErrorBehavior } from '../request/context.ts';
import type { IntrospectionPlaces } from './introspection-places.ts';

/** What shaping needs besides shape and data. */
export interface CompletionContext {
  /** Where results of introspection belong; made with the first of them. */
  introspection: IntrospectionPlaces | undefined;
  /** @default PROPAGATE */
  readonly onError?: ErrorBehavior | undefined;
  /** How many items of a streamed list come at once. */
  initialCountOf(stream: PreparedStream): number;
  /** Whether fetches were left out because of an error: what is missing is missing because of it. */
  readonly isHalted?: boolean;
}

/** A response in the client's shape. */
export interface Completed {
  readonly data: DataObject | null;
  readonly errors: readonly GraphQLError[];
  /** Objects below the data, those that became null included: they were made. */
  readonly objects: number;
  /** The errors of subgraphs among them. */
  readonly origins: ReadonlySet<object>;
  /** Whether a null has taken other fields along: errors inside them are not the client's concern. */
  readonly hasPropagated: boolean;
  /** Fragments that come later, with the objects they are of. None below what became null. */
  readonly deferred: readonly DeferredOccurrence[];
  /** Lists whose later items come later. None below what became null. */
  readonly streamed: readonly StreamedOccurrence[];
  /** Whether a field is missing that no failure explains: perhaps the fetch that brings it is not over. */
  readonly isIncomplete: boolean;
  /** Whether a field is missing that the failure of a fetch explains, unless another fetch brings it. */
  readonly isUncertain: boolean;
}

/** One place of the response that a deferred fragment adds to. */
export interface DeferredOccurrence {
  readonly shape: DeferredShape;
  /** What subgraphs say of the object. */
  readonly object: DataObject;
  /** What the client gets of it. */
  readonly completed: DataObject;
  /** In the client's response. */
  readonly path: readonly PathKey[];
}

/** One list of the response whose later items come later. */
export interface StreamedOccurrence {
  readonly stream: PreparedStream;
  readonly field: FieldShape;
  readonly item: ValueShape;
  /** What subgraphs say: all items. */
  readonly list: readonly unknown[];
  /** How many of them the client has. */
  readonly delivered: number;
  /** In the client's response. */
  readonly path: readonly PathKey[];
}

/** An object of the response that is completed by itself. */
export interface CompletionPlace {
  readonly path: readonly PathKey[];
  /** What the client has of the object: its keys are left out. */
  readonly delivered: DataObject | undefined;
}
