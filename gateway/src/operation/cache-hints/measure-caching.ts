import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  OperationTypeNode,
  isInterfaceType,
  isObjectType,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Fragments } from '../limits/measure-document.ts';
import type { Decided } from '../document/decided-conditions.ts';
import type { CacheHint, CacheHints } from './cache-hints.ts';
import { NOT_CACHEABLE, strictest, UNRESTRICTED, type CachePolicy } from '../../caching/cache-policy.ts';

/** What {@link compileCaching} reads. */
export interface CachingRequest {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The operation is valid against it. */
  readonly schema: GraphQLSchema;
  readonly hints: CacheHints;
}

/** How long answers may be kept, where conditions are decided so. */
export type CachePolicyOf = (decided: Decided) => CachePolicy;

/** Decisions of one operation that are remembered. */
const MAX_DECISIONS = 64;

/** Prepares {@link measureCaching} for all the ways that the conditions of an operation may be decided. */
export function compileCaching(request: CachingRequest): CachePolicyOf {
  const known = new Map<string, CachePolicy>();
  return (decided) => {
    const remembered = known.get(decided.key);
    if (remembered) return remembered;
    const policy = measureCaching(request, decided);
    if (known.size < MAX_DECISIONS) known.set(decided.key, policy);
    return policy;
  };
}

/**
 * How long the answers of an operation may be kept by what the schema says of its fields: the strictest counts. A field of
 * the root, or one that returns objects, which no hint speaks of may not be kept; a leaf is as its object. An interface or a
 * union without a hint is as the types that it stands for. What conditions leave out does not count.
 *
 * @returns {@link UNRESTRICTED} where the supergraph has no hints: then the answers of subgraphs alone decide
 */
function measureCaching(
  { operation, fragments, schema, hints }: CachingRequest,
  decided: Decided,
): CachePolicy {
  if (operation.operation !== OperationTypeNode.QUERY) return NOT_CACHEABLE;
  if (!hints) return UNRESTRICTED;
  const visited = new Set<string>();
  let policy = UNRESTRICTED;

  function visitField(field: FieldNode, parent: GraphQLCompositeType, isRoot: boolean): void {
    const definition =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined;
    if (!definition) return; // __typename, or introspection, which says nothing of data
    const type = getNamedType(definition.type);
    const own = hints?.get(`${parent.name}.${field.name.value}`);
    policy = strictest(policy, policyOfField(own, hintOfType(type), type, isRoot));
    if (field.selectionSet && isCompositeType(type)) visitSelections(field.selectionSet, type, false);
  }

  function visitSelections(set: SelectionSetNode, parent: GraphQLCompositeType, isRoot: boolean): void {
    for (const selection of set.selections) {
      if (!decided.includes(selection)) continue;
      if (selection.kind === Kind.FIELD) visitField(selection, parent, isRoot);
      else if (selection.kind === Kind.INLINE_FRAGMENT)
        visitSelections(
          selection.selectionSet,
          typeNamed(selection.typeCondition?.name.value, parent),
          isRoot,
        );
      else visitFragment(selection.name.value, parent, isRoot);
    }
  }

  /** Its fields are the same wherever it is spread. */
  function visitFragment(name: string, parent: GraphQLCompositeType, isRoot: boolean): void {
    const fragment = fragments.get(name);
    if (!fragment || visited.has(name)) return;
    visited.add(name);
    visitSelections(fragment.selectionSet, typeNamed(fragment.typeCondition.name.value, parent), isRoot);
  }

  function hintOfType(type: GraphQLNamedType): CacheHint | undefined {
    const hint = hints?.get(type.name);
    if (hint || !isAbstractType(type)) return hint;
    return hintOfAll(schema.getPossibleTypes(type).map(({ name }) => hints?.get(name)));
  }

  function typeNamed(name: string | undefined, parent: GraphQLCompositeType): GraphQLCompositeType {
    const type = name === undefined ? undefined : schema.getType(name);
    return type && isCompositeType(type) ? type : parent;
  }

  const root = schema.getQueryType();
  if (root) visitSelections(operation.selectionSet, root, true);
  return policy;
}

function policyOfField(
  own: CacheHint | undefined,
  returned: CacheHint | undefined,
  type: GraphQLNamedType,
  isRoot: boolean,
): CachePolicy {
  const isPrivate = own?.isPrivate ?? returned?.isPrivate ?? false;
  const inherits = !isRoot && (!isCompositeType(type) || inheritsMaxAge(own, returned));
  const maxAgeS = own?.maxAgeS ?? returned?.maxAgeS ?? (inherits ? Number.POSITIVE_INFINITY : 0);
  return { maxAgeS, isPrivate };
}

/** The strictest; none where one of them says no time. */
function hintOfAll(hints: readonly (CacheHint | undefined)[]): CacheHint | undefined {
  const times = hints.map((hint) => hint?.maxAgeS);
  if (times.length === 0 || times.includes(undefined)) return undefined;
  return {
    maxAgeS: Math.min(...times.filter((time) => time !== undefined)),
    isPrivate: hints.some((hint) => hint?.isPrivate),
    inheritsMaxAge: false,
  };
}

function inheritsMaxAge(own: CacheHint | undefined, returned: CacheHint | undefined): boolean {
  return own?.inheritsMaxAge === true || returned?.inheritsMaxAge === true;
}
