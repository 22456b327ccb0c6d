import type { QueueCaller } from '@trellis/runtime/admission';
import { Kind, visit, type FieldNode, type SelectionSetNode } from 'graphql';
import type { ErrorBehavior } from '../request/context.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { Decided, Variables } from '../operation/document/decided-conditions.ts';
import { type Fragments, nodeText } from '../operation/document/parse-operation.ts';

/** A question about the schema: `__schema` or `__type`, without an alias, conditions decided, fragments written out. */
export interface IntrospectionQuestion {
  /** The field and its arguments. */
  readonly field: string;
  /** Its selections. */
  readonly selections: string;
  /** Names of the variables that its arguments, and those within it, take. */
  readonly variables: readonly string[];
}

/** A question about the schema of a supergraph. */
export interface IntrospectionRequest {
  readonly supergraph: Supergraph;
  /** As an operation of one field, without conditions. */
  readonly text: string;
  /** The variables that it takes. */
  readonly variables: Variables;
  /** What `__service` says of it. */
  readonly defaultOnError: ErrorBehavior;
  /** In whose share of the query planner workers it counts. @default the gateway's own */
  readonly caller: QueueCaller | undefined;
}

/** Answers questions about the schema of clients, beside the event loop. */
export interface Introspector {
  /**
   * @returns JSON; at once on a cache hit
   * @throws GraphQLError QUERY_TOO_COMPLEX, RESPONSE_TOO_LARGE, OVERLOADED, RATE_LIMITED; the signal's reason
   */
  introspect(request: IntrospectionRequest, signal: AbortSignal): string | Promise<string>;
}

/** Writes down what a field of introspection asks for. Its size is bounded by the selections that were counted before. */
export function introspectionQuestion(
  node: FieldNode,
  fragments: Fragments,
  decided: Decided,
): IntrospectionQuestion {
  const variables = new Set<string>();

  const fieldText = ({ name, arguments: given = [] }: FieldNode): string => {
    for (const argument of given)
      visit(argument, { Variable: (variable) => void variables.add(variable.name.value) });
    return given.length === 0 ? name.value : `${name.value}(${given.map(nodeText).join(' ')})`;
  };

  const selectionsText = (set: SelectionSetNode | undefined): string =>
    (set?.selections ?? [])
      .filter((selection) => decided.includes(selection))
      .map((selection) => {
        if (selection.kind === Kind.INLINE_FRAGMENT) return selectionsText(selection.selectionSet);
        if (selection.kind === Kind.FRAGMENT_SPREAD)
          return selectionsText(fragments.get(selection.name.value)?.selectionSet);
        const alias = selection.alias ? `${selection.alias.value}:` : '';
        const below = selection.selectionSet ? selectionsOf(selectionsText(selection.selectionSet)) : '';
        return `${alias}${fieldText(selection)}${below}`;
      })
      .filter((text) => text !== '')
      .join(' ');

  const field = fieldText(node);
  const selections = selectionsText(node.selectionSet);
  return { field, selections, variables: [...variables] };
}

/** A selection set in which everything is left out is an empty object. */
const NOTHING = '__typename@nothing';

/** The text of a selection set. */
function selectionsOf(text: string): string {
  return `{${text || NOTHING}}`;
}

/** The question as an operation of its own. */
export function questionText({ field, selections }: IntrospectionQuestion): string {
  return `{${field}${selectionsOf(selections)}}`;
}

/** One question of several that stand under one key of the response: they ask the same field. */
export function mergeQuestions(
  questions: readonly IntrospectionQuestion[],
): IntrospectionQuestion | undefined {
  const [first, ...others] = questions;
  if (!first || others.length === 0) return first;
  return {
    field: first.field,
    selections: [...new Set(questions.map(({ selections }) => selections))]
      .filter((text) => text !== '')
      .join(' '),
    variables: [...new Set(questions.flatMap(({ variables }) => variables))],
  };
}
