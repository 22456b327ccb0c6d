import {
  Kind,
  parse,
  print,
  specifiedRules,
  validate,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type SelectionNode,
} from 'graphql';
import type { RandomOperation } from '../synthetic/random-operation.ts';

const TRIES = 150;

/**
 * Makes an operation smaller while it still shows something: drops selections, one at a time, until none can go.
 *
 * @param shows whether a smaller operation still shows it; called at most 150 times
 */
export async function shrinkOperation(
  schema: GraphQLSchema,
  operation: RandomOperation,
  shows: (smaller: RandomOperation) => Promise<boolean>,
): Promise<RandomOperation> {
  let smallest = operation;
  let index = 0;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const smaller = without(smallest, index);
    if (!smaller) return smallest;
    const isValid = validate(schema, smaller.document, specifiedRules).length === 0;
    if (isValid && (await shows(smaller))) smallest = smaller;
    else index += 1;
  }
  return smallest;
}

/** The operation without its selection of this number, counted from the outside in; absent where there are not so many. */
function without(operation: RandomOperation, index: number): RandomOperation | undefined {
  const selections = selectionsOf(operation.document);
  const dropped = selections[index];
  if (!dropped) return undefined;
  const document = visit(operation.document, {
    enter: (node) => ((node as unknown) === dropped ? null : undefined),
  });
  return pruned(document, operation.variables);
}

/** Those that are not alone. */
function selectionsOf(document: DocumentNode): readonly SelectionNode[] {
  const found: SelectionNode[] = [];
  visit(document, {
    SelectionSet({ selections }) {
      if (selections.length > 1) found.push(...selections);
    },
  });
  return found;
}

/** Without variables and fragments that nothing uses any more. */
function pruned(document: DocumentNode, variables: RandomOperation['variables']): RandomOperation {
  let rest = document;
  for (;;) {
    const spread = namesUsed(rest, Kind.FRAGMENT_SPREAD);
    const definitions = rest.definitions.filter(
      (definition) => definition.kind !== Kind.FRAGMENT_DEFINITION || spread.has(definition.name.value),
    );
    if (definitions.length === rest.definitions.length) break;
    rest = { ...rest, definitions };
  }
  const used = namesUsed(visit(rest, { VariableDefinition: () => null }), Kind.VARIABLE);
  const text = print(
    visit(rest, {
      VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
    }),
  );
  const left = Object.entries(variables).filter(([name]) => used.has(name));
  return { text, document: parse(text), variables: Object.fromEntries(left) };
}

function namesUsed(document: DocumentNode, kind: Kind.FRAGMENT_SPREAD | Kind.VARIABLE): ReadonlySet<string> {
  const names = new Set<string>();
  visit(document, {
    enter(node) {
      if (node.kind === kind) names.add(node.name.value);
    },
  });
  return names;
}
