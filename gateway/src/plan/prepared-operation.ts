import type { DirectiveNode, FieldNode, OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Denial } from '../operation/access/requirement.ts';
import type { IntrospectionQuestion } from './introspection-question.ts';

/**
 * An operation with its conditions decided and its named fragments written out: what is planned, and what the response is
 * shaped by.
 */
export interface PreparedOperation {
  readonly kind: OperationTypeNode;
  /** As the client wrote it: variables and directives are read from here. */
  readonly node: OperationDefinitionNode;
  readonly selections: readonly PreparedSelection[];
  /** The `@defer` directives that are on, by the labels that the planner knows them by. */
  readonly defers: ReadonlyMap<string, PreparedDefer>;
  /** The `@stream` directives that are on, by the response keys to their lists. */
  readonly streams: ReadonlyMap<string, PreparedStream>;
}

export type PreparedSelection = PreparedField | PreparedFragment;

/** A field to be answered. */
export interface PreparedField {
  readonly kind: 'field';
  readonly node: FieldNode;
  readonly name: string;
  /** The key in the client's response. */
  readonly responseKey: string;
  /** The key in what subgraphs answer: another one where the client's would be in the planner's way. */
  readonly sourceKey: string;
  /** Absent for leaves. */
  readonly selections: readonly PreparedSelection[] | undefined;
  readonly denial: Denial | undefined;
  /** What is asked about the schema, for a field that asks about it. */
  readonly introspection: IntrospectionQuestion | undefined;
  /** Its `@stream`. All fields in its position have the same, or none has. */
  readonly stream: PreparedStream | undefined;
  /** Whether it is planned beside the fragments around it: on the type that they are written on. */
  readonly isHoisted: boolean;
}

/** An inline fragment, or a named one where it was spread. */
export interface PreparedFragment {
  readonly kind: 'fragment';
  /** Absent: applies always. */
  readonly typeCondition: string | undefined;
  /** Directives other than those that are decided here. */
  readonly directives: readonly DirectiveNode[];
  readonly selections: readonly PreparedSelection[];
  readonly defer: PreparedDefer | undefined;
}

/** One `@defer` that is on. */
export interface PreparedDefer {
  /** Ours, unique in the operation. */
  readonly id: string;
  /** The client's. */
  readonly label: string | undefined;
}

/** One `@stream` that is on. */
export interface PreparedStream {
  /** The client's. */
  readonly label: string | undefined;
  /** Items that come at once: a number, or the name of the variable that says so. */
  readonly initialCount: number | string;
  /** The `@defer` around it, by our id; absent where there is none. */
  readonly deferId: string | undefined;
  /** The keys to its list in what subgraphs answer, one for each type of the objects above that differs in them. */
  readonly sourcePaths: Set<string>;
  /** Whether its items come whole after all: another selection of the same position is delivered at another time. */
  isOff: boolean;
}
