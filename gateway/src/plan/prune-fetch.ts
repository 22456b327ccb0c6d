import {
  BREAK,
  Kind,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
  type DocumentNode,
  type FieldNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { operationOf, type ExpectedSelection, type FetchFields, type RewriteStep } from './fetch-fields.ts';
import { dropUnusedVariables, keepEntityFields } from './prune-document.ts';

/**
 * A fetch without the fields that need what is missing.
 *
 * @returns nothing when no field remains
 */
export function pruneFields(fetch: FetchFields, missing: ReadonlySet<string>): FetchFields | undefined {
  const dropped = droppedKeys(fetch, missing);
  const isDropped = (typeCondition: string | undefined, key: string): boolean =>
    dropped.some((selection) => selection.typeCondition === typeCondition && selection.keys.includes(key));
  const expected = fetch.expected
    .map(({ typeCondition, keys }) => ({
      typeCondition,
      keys: keys.filter((key) => !isDropped(typeCondition, key)),
    }))
    .filter(({ keys }) => keys.some((key) => key !== '__typename'));
  if (expected.length === 0) return undefined;
  return { ...withOperation(fetch, withoutFields(operationOf(fetch), isDropped)), expected };
}

/** What a fetch would have brought but for what is missing: keys by type. */
function droppedKeys(
  { dependents }: FetchFields,
  missing: ReadonlySet<string>,
): readonly ExpectedSelection[] {
  return dependents
    .filter(({ needs }) => needs.some((key) => missing.has(key)))
    .map(({ typeCondition, key }) => ({ typeCondition, keys: [key] }));
}

function withoutFields(
  operation: string,
  isDropped: (type: string | undefined, key: string) => boolean,
): DocumentNode {
  return keepEntityFields(
    parse(operation, { noLocation: true }),
    ({ alias, name }, typeCondition) => !isDropped(typeCondition, (alias ?? name).value),
  );
}

/** A field that is left out of a fetch, below an entity. */
export interface LeftOutField {
  /** From the entity to the objects that lack it. */
  readonly path: readonly RewriteStep[];
  readonly key: string;
  /** The variable that it takes. */
  readonly variable: string;
}

/** What remains of a fetch when variables have no value. */
interface RemainingFields {
  /** Absent where all that it asks takes such a variable. */
  readonly fields: FetchFields | undefined;
  readonly leftOut: readonly LeftOutField[];
}

/** A fetch of entities without the fields, at any depth, that take one of these variables. */
export function pruneVariables(fetch: FetchFields, variables: ReadonlySet<string>): RemainingFields {
  const leftOut: LeftOutField[] = [];
  let isEmpty = false;
  const document = visit(parse(operationOf(fetch), { noLocation: true }), {
    Field: (node) => {
      if (node.name.value !== '_entities' || !node.selectionSet) return undefined;
      const selectionSet = reduceSet(node.selectionSet, [], variables, leftOut);
      isEmpty = !selectionSet.selections.some(brings);
      return isEmpty ? BREAK : { ...node, selectionSet };
    },
  });
  if (isEmpty) return { fields: undefined, leftOut };
  const expected = fetch.expected.map(({ typeCondition, keys }) => ({
    typeCondition,
    keys: keys.filter((key) => !leftOut.some((field) => isAtTop(field, typeCondition, key))),
  }));
  return { fields: { ...withOperation(fetch, document), expected }, leftOut };
}

/** Whether it asks for more than what its object is. */
function brings(selection: SelectionNode): boolean {
  if (selection.kind === Kind.FIELD) return selection.name.value !== '__typename';
  return selection.kind !== Kind.INLINE_FRAGMENT || selection.selectionSet.selections.some(brings);
}

/** Whether a field was left out of the entities themselves, of this type. */
function isAtTop(field: LeftOutField, typeCondition: string | undefined, key: string): boolean {
  const last = field.path.at(-1);
  if (field.key !== key || field.path.some(({ kind }) => kind === 'key')) return false;
  return (last?.kind === 'type' ? last.type : undefined) === typeCondition;
}

/** Where nothing is left below a field, it is still asked whether there is an object. */
function reduceSet(
  set: SelectionSetNode,
  path: readonly RewriteStep[],
  variables: ReadonlySet<string>,
  leftOut: LeftOutField[],
): SelectionSetNode {
  const below = (inner: SelectionSetNode, next: RewriteStep): SelectionSetNode =>
    reduceSet(inner, [...path, next], variables, leftOut);
  const selections = set.selections.map((selection): SelectionNode | undefined => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return selection;
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const type = selection.typeCondition?.name.value;
      const selectionSet = type
        ? below(selection.selectionSet, { kind: 'type', type })
        : reduceSet(selection.selectionSet, path, variables, leftOut);
      return { ...selection, selectionSet };
    }
    const key = selection.alias?.value ?? selection.name.value;
    const variable = variableIn(selection, variables);
    if (variable !== undefined) leftOut.push({ path, key, variable });
    if (variable !== undefined || !selection.selectionSet)
      return variable === undefined ? selection : undefined;
    return { ...selection, selectionSet: below(selection.selectionSet, { kind: 'key', key }) };
  });
  const left = selections.filter((selection) => selection !== undefined);
  return { ...set, selections: left.length > 0 ? left : [TYPENAME] };
}

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/** Of the variables, the one that an argument of this very field takes. */
function variableIn(field: FieldNode, variables: ReadonlySet<string>): string | undefined {
  let found: string | undefined;
  const look = {
    Variable: ({ name }: { readonly name: { readonly value: string } }) => {
      if (variables.has(name.value)) found = name.value;
    },
  };
  for (const argument of field.arguments ?? []) visit(argument, look);
  return found;
}

/** A fetch of another operation, with those of its variables that this takes. It shares no request with others. */
function withOperation(fetch: FetchFields, document: DocumentNode): FetchFields {
  const { document: declared, used } = dropUnusedVariables(document);
  const operation = stripIgnoredCharacters(print(declared));
  return {
    ...fetch,
    bodyStart: fetch.bodyStart.replace(JSON.stringify(operationOf(fetch)), () => JSON.stringify(operation)),
    variableNames: fetch.variableNames.filter((name) => used.has(name)),
    mergeKey: undefined,
  };
}
