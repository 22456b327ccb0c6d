import { createHash } from 'node:crypto';
import {
  getOperationAST,
  Kind,
  print,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** What planning needs of one operation of a document, computed once. */
export interface OperationFacts {
  /** Names the operation among all: the same for equal texts. */
  readonly key: string;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Names of the variables that decide `@skip`, `@include` and `@defer`, in the order of the text. */
  readonly conditionVariables: readonly string[];
  /** Whether there is a `@defer` in the document, on or off. */
  readonly mayDefer: boolean;
  /** A number for each field node of the document, the same for equal texts. */
  readonly ordinals: ReadonlyMap<FieldNode, number>;
}

const factsOf = new WeakMap<DocumentNode, Map<string | undefined, OperationFacts>>();

/**
 * Reads a document once, however often it runs.
 *
 * @param documentHash saves hashing the text again
 * @throws when the document has no such operation
 */
export function operationFacts(
  document: DocumentNode,
  operationName: string | undefined,
  documentHash?: string,
): OperationFacts {
  let byName = factsOf.get(document);
  if (!byName) factsOf.set(document, (byName = new Map()));
  let facts = byName.get(operationName);
  if (!facts) byName.set(operationName, (facts = readFacts(document, operationName, documentHash)));
  return facts;
}

function readFacts(
  document: DocumentNode,
  operationName: string | undefined,
  documentHash: string | undefined,
): OperationFacts {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new TypeError('The document has no operation of this name.');
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const hash = documentHash ?? hashOf(document);
  return {
    key: `${hash} ${operation.name?.value ?? ''}`,
    operation,
    fragments,
    ...readSelections(document),
  };
}

function hashOf(document: DocumentNode): string {
  return createHash('sha256')
    .update(document.loc?.source.body ?? print(document))
    .digest('hex');
}

const CONDITIONAL: ReadonlySet<string> = new Set(['skip', 'include', 'defer']);

type SelectionFacts = Pick<OperationFacts, 'conditionVariables' | 'mayDefer' | 'ordinals'>;

/** All of the document: what another operation uses does no harm, and none is overlooked. */
function readSelections(document: DocumentNode): SelectionFacts {
  const names = new Set<string>();
  const ordinals = new Map<FieldNode, number>();
  let mayDefer = false;
  const readDirective = (directive: DirectiveNode): void => {
    if (!CONDITIONAL.has(directive.name.value)) return;
    mayDefer ||= directive.name.value === 'defer';
    const variable = conditionVariableOf(directive);
    if (variable !== undefined) names.add(variable);
  };
  const readSet = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) ordinals.set(selection, ordinals.size);
      selection.directives?.forEach(readDirective);
      if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) readSet(selection.selectionSet);
    }
  };
  for (const definition of document.definitions) {
    if ('selectionSet' in definition) readSet(definition.selectionSet);
  }
  return { conditionVariables: [...names], mayDefer, ordinals };
}

function conditionVariableOf(directive: DirectiveNode): string | undefined {
  const value = directive.arguments?.find(({ name }) => name.value === 'if')?.value;
  return value?.kind === Kind.VARIABLE ? value.name.value : undefined;
}
