import {
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What is asked of entities; nothing in a fetch that asks for none. */
export function entitySelections(document: DocumentNode): SelectionSetNode | undefined {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const selection of definition.selectionSet.selections) {
      if (selection.kind === Kind.FIELD && selection.name.value === '_entities')
        return selection.selectionSet;
    }
  }
  return undefined;
}

/**
 * The document with only some of the entities' own fields. A fragment that nothing is left of goes.
 *
 * @param keeps gets the type condition that a field stands below, where there is one
 */
export function keepEntityFields(
  document: DocumentNode,
  keeps: (field: FieldNode, typeCondition: string | undefined) => boolean,
): DocumentNode {
  const entities = entitySelections(document);
  if (!entities) return document;
  const narrow = (set: SelectionSetNode, typeCondition: string | undefined): SelectionSetNode => ({
    ...set,
    selections: set.selections.flatMap((selection): SelectionNode[] => {
      if (selection.kind === Kind.FIELD) return keeps(selection, typeCondition) ? [selection] : [];
      if (selection.kind !== Kind.INLINE_FRAGMENT) return [selection];
      const below = narrow(selection.selectionSet, selection.typeCondition?.name.value ?? typeCondition);
      return below.selections.length > 0 ? [{ ...selection, selectionSet: below }] : [];
    }),
  });
  const narrowed = narrow(entities, undefined);
  return visit(document, { SelectionSet: (node) => (node === entities ? narrowed : undefined) });
}

/** A document that declares the variables that it uses, and no others. */
export interface DeclaredDocument {
  readonly document: DocumentNode;
  /** Names of the variables. */
  readonly used: ReadonlySet<string>;
}

/** Removes variables that a document no longer uses: a subgraph rejects an operation that declares them. */
export function dropUnusedVariables(document: DocumentNode): DeclaredDocument {
  const used = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  const declared = visit(document, {
    VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
  });
  return { document: declared, used };
}
