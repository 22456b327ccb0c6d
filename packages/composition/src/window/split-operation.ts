import {
  getOperationAST,
  Kind,
  print,
  visit,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

/**
 * Splits an operation into one for each selection at its root, with the fragments and variables that it uses. What a plan asks of a subgraph below one of
 * them does not depend on the others, and many operations have some of them in common.
 */
export function splitOperation(
  document: DocumentNode,
  operationName: string | undefined,
): readonly DocumentNode[] {
  const operation = getOperationAST(document, operationName);
  if (!operation) return [];
  const { selections } = operation.selectionSet;
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  return selections.map((selection) => partOf(operation, selection, fragments));
}

/** The same text for equal parts, whatever their operations are called. */
export function textOfPart(part: DocumentNode): string {
  return print(part);
}

function partOf(
  operation: OperationDefinitionNode,
  selection: SelectionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode {
  const used = usedFragments(selection, fragments);
  const variables = usedVariables([selection, ...used, ...(operation.directives ?? [])]);
  const { name: _name, ...unnamed } = operation;
  const part: OperationDefinitionNode = {
    ...unnamed,
    variableDefinitions: (operation.variableDefinitions ?? []).filter(({ variable }) =>
      variables.has(variable.name.value),
    ),
    selectionSet: { kind: Kind.SELECTION_SET, selections: [selection] },
  };
  return { kind: Kind.DOCUMENT, definitions: [part, ...used] };
}

function usedFragments(
  selection: SelectionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly FragmentDefinitionNode[] {
  const used = new Map<string, FragmentDefinitionNode>();
  const note = (node: SelectionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(name.value)) return;
        used.set(name.value, fragment);
        note(fragment);
      },
    });
  };
  note(selection);
  return [...used.values()];
}

function usedVariables(nodes: readonly Parameters<typeof visit>[0][]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodes) visit(node, { Variable: ({ name }) => void names.add(name.value) });
  return names;
}
