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
import { conditionOf, isDecided } from './decided-directives.ts';

/** What planning needs of one operation of a document, computed once. */
export interface OperationFacts {
  /** Names the operation among all: the same for equal texts. */
  readonly key: string;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The variables that decide `@skip`, `@include`, `@defer` and `@live`, in the order of the text. */
  readonly conditionVariables: readonly ConditionVariable[];
  /** Whether there is a `@defer` in the document, on or off. */
  readonly mayDefer: boolean;
  /** A number for each field node of the document, the same for equal texts. */
  readonly ordinals: ReadonlyMap<FieldNode, number>;
}

/** A variable that decides conditions. */
export interface ConditionVariable {
  readonly name: string;
  /** Whether it need not be given: every condition that it decides holds then. */
  readonly isOptional: boolean;
}

/** What is known of a document. */
interface DocumentFacts {
  readonly byName: Map<string | undefined, OperationFacts>;
  /** The same for all operations: of a document with hundreds of them, each would have all of it otherwise. */
  readonly selections: SelectionFacts;
}

const factsOf = new WeakMap<DocumentNode, DocumentFacts>();

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
  let known = factsOf.get(document);
  if (!known) factsOf.set(document, (known = { byName: new Map(), selections: readSelections(document) }));
  const { byName, selections } = known;
  let facts = byName.get(operationName);
  if (!facts)
    byName.set(operationName, (facts = readFacts(document, operationName, documentHash, selections)));
  return facts;
}

function readFacts(
  document: DocumentNode,
  operationName: string | undefined,
  documentHash: string | undefined,
  selections: SelectionFacts,
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
    conditionVariables: readConditions(operation, fragments),
    ...selections,
  };
}

function hashOf(document: DocumentNode): string {
  return createHash('sha256')
    .update(document.loc?.source.body ?? print(document))
    .digest('hex');
}

type SelectionFacts = Pick<OperationFacts, 'mayDefer' | 'ordinals'>;

/** All of the document: what another operation uses does no harm, and none is overlooked. */
function readSelections(document: DocumentNode): SelectionFacts {
  const ordinals = new Map<FieldNode, number>();
  let mayDefer = false;
  const readSet = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) ordinals.set(selection, ordinals.size);
      mayDefer ||= selection.directives?.some(({ name }) => name.value === 'defer') ?? false;
      if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) readSet(selection.selectionSet);
    }
  };
  for (const definition of document.definitions) {
    if ('selectionSet' in definition) readSet(definition.selectionSet);
  }
  return { mayDefer, ordinals };
}

/** Of this operation alone: in another one a variable of the same name may be something else. */
function readConditions(
  operation: OperationDefinitionNode,
  fragments: OperationFacts['fragments'],
): readonly ConditionVariable[] {
  const found = new Map<string, ConditionVariable>();
  const readDirective = (directive: DirectiveNode): void => {
    if (!isDecided(directive)) return;
    const value = conditionOf(directive);
    if (value?.kind !== Kind.VARIABLE) return;
    const name = value.name.value;
    const isOptional = directive.name.value === 'defer' || directive.name.value === 'live';
    found.set(name, { name, isOptional: isOptional && (found.get(name)?.isOptional ?? true) });
  };
  operation.directives?.forEach(readDirective);
  const visited = new Set<string>();
  const readSet = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      selection.directives?.forEach(readDirective);
      if (selection.kind === Kind.FRAGMENT_SPREAD) readFragment(selection.name.value);
      else if (selection.selectionSet) readSet(selection.selectionSet);
    }
  };
  const readFragment = (name: string): void => {
    const fragment = visited.has(name) ? undefined : fragments.get(name);
    visited.add(name);
    if (fragment) readSet(fragment.selectionSet);
  };
  readSet(operation.selectionSet);
  return [...found.values()];
}
