import {
  getNullableType,
  GraphQLError,
  isListType,
  Kind,
  print,
  type DirectiveNode,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { initialCountOf, streamDirectiveOf } from '../document/decided-directives.ts';

/** Both deliver parts of a response later. */
const INCREMENTAL: ReadonlySet<string> = new Set(['defer', 'stream']);

/**
 * A label names one `@defer` or `@stream` of a document: it is a text, not a variable, and no other has it.
 *
 * @see incremental delivery in the GraphQL specification's working draft, "Defer And Stream Directive Labels Are Unique"
 */
export const IncrementalLabelsRule: ValidationRule = (context) => {
  const known = new Set<string>();
  return {
    Directive(node) {
      const name = node.name.value;
      const label = node.arguments?.find((argument) => argument.name.value === 'label')?.value;
      if (!INCREMENTAL.has(name) || !label) return;
      if (label.kind !== Kind.STRING) {
        context.reportError(new GraphQLError(`The label of a @${name} has to be a text.`, { nodes: node }));
      } else if (known.has(label.value)) {
        context.reportError(
          new GraphQLError(`There is more than one @${name} with the label "${label.value}".`, {
            nodes: node,
          }),
        );
      } else known.add(label.value);
    },
  };
};

/**
 * Fields that change something run in their order, and the field of a subscription begins it: neither is deferred or streamed.
 *
 * @see incremental delivery in the GraphQL specification's working draft, "Defer And Stream Directives Are Used On Valid Root Field"
 */
export const IncrementalRootRule: ValidationRule = (context) => ({
  Directive(node) {
    if (!INCREMENTAL.has(node.name.value)) return;
    const schema = context.getSchema();
    const parent = context.getParentType();
    if (!parent || (parent !== schema.getMutationType() && parent !== schema.getSubscriptionType())) return;
    const done = node.name.value === 'defer' ? 'deferred; defer' : 'streamed; stream';
    context.reportError(
      new GraphQLError(`Fields of ${parent.name} can't be ${done} what they return.`, { nodes: node }),
    );
  },
});

/**
 * A `@stream` stands on a list, and begins with no fewer than 0 items.
 *
 * @see incremental delivery in the GraphQL specification's working draft, "Stream Directives Are Used On List Fields"
 */
export const StreamedListRule: ValidationRule = (context) => ({
  Directive(node) {
    if (node.name.value !== 'stream') return;
    const field = context.getFieldDef();
    if (field && !isListType(getNullableType(field.type)))
      context.reportError(
        new GraphQLError(`The field "${field.name}" is no list, so it can't be streamed.`, { nodes: node }),
      );
    const count = initialCountOf(node);
    if (typeof count === 'number' && count < 0)
      context.reportError(
        new GraphQLError('The initialCount of a @stream has to be 0 or more.', { nodes: node }),
      );
  },
});

/** Selections that the rule below looks at, of an operation with its fragments written out. Beyond, the list comes whole. */
const MAX_SELECTIONS = 20_000;

/**
 * Fields in one position of the response are one list: all of them are streamed in the same way, or none is.
 *
 * @see incremental delivery in the GraphQL specification's working draft, "Field Selection Merging"
 */
export const StreamOverlapRule: ValidationRule = (context) => {
  let hasStreams = false;
  return {
    Directive(node) {
      hasStreams ||= node.name.value === 'stream';
    },
    Document: {
      leave({ definitions }) {
        if (!hasStreams) return;
        for (const definition of definitions)
          if (definition.kind === Kind.OPERATION_DEFINITION) new OverlapFinder(context).check(definition);
      },
    },
  };
};

class OverlapFinder {
  readonly #context: ValidationContext;
  /** By response path. */
  readonly #found = new Map<string, { readonly node: FieldNode; readonly text: string }>();
  readonly #spread = new Set<string>();
  #visited = 0;

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  check({ selectionSet }: OperationDefinitionNode): void {
    this.#walk(selectionSet, '');
  }

  #walk({ selections }: SelectionSetNode, path: string): void {
    for (const selection of selections) {
      this.#visited += 1;
      if (this.#visited > MAX_SELECTIONS) return;
      if (selection.kind === Kind.FIELD) this.#field(selection, path);
      else if (selection.kind === Kind.INLINE_FRAGMENT) this.#walk(selection.selectionSet, path);
      else this.#fragment(selection.name.value, path);
    }
  }

  #fragment(name: string, path: string): void {
    const fragment = this.#context.getFragment(name);
    if (!fragment || this.#spread.has(name)) return; // a cycle has an error of its own
    this.#spread.add(name);
    this.#walk(fragment.selectionSet, path);
    this.#spread.delete(name);
  }

  #field(node: FieldNode, path: string): void {
    const key = `${path} ${node.alias?.value ?? node.name.value}`;
    const text = textOf(streamDirectiveOf(node));
    const known = this.#found.get(key);
    if (!known) this.#found.set(key, { node, text });
    else if (known.text !== text && known.node !== node)
      this.#context.reportError(
        new GraphQLError(
          `Fields "${node.alias?.value ?? node.name.value}" conflict because they are streamed in different ways.`,
          { nodes: [known.node, node] },
        ),
      );
    if (node.selectionSet) this.#walk(node.selectionSet, key);
  }
}

/** Equal for equal arguments, in whatever order. */
function textOf(stream: DirectiveNode | undefined): string {
  return stream
    ? `@ ${(stream.arguments ?? [])
        .map((argument) => print(argument))
        .toSorted()
        .join()}`
    : '';
}
