import {
  Kind,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Fragments } from './measure-document.ts';
import {
  fieldTypeOf,
  fragmentTypeOf,
  isIntrospectionRoot,
  rootTypeOf,
} from '../../supergraph/selection-types.ts';

/** How many more levels a field allows below it, by coordinate (`Post.comments`), from `@depthAllowance`. */
export type DepthAllowances = ReadonlyMap<string, number>;

/** What an operation amounts to, whatever its variables. */
export interface OperationMeasure {
  /** Of the path that goes deepest beyond what is allowed to it, fields from root to leaf. */
  readonly depth: number;
  /** What a field on that path allows beyond the limit. */
  readonly depthAllowance: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly directives: number;
}

/** What is measured, and against which schema. */
export interface MeasureRequest {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The operation is valid against it. */
  readonly schema: GraphQLSchema;
  readonly allowances: DepthAllowances;
}

/**
 * Counts depth, aliases, root fields and directives of a valid operation, in time linear in the document: what a
 * fragment amounts to is counted once and added at each spread. Specification: Limits.
 */
export function measureOperation(request: MeasureRequest): OperationMeasure {
  const { operation, fragments } = request;
  const countTotals = createTotalsCounter(fragments);
  const totals = countTotals(operation.selectionSet);
  const path = createDepthFinder(request)(operation.selectionSet, rootTypeOf(request.schema, operation), 0);
  const onVariables = (operation.variableDefinitions ?? []).flatMap(({ directives }) => directives ?? []);
  return {
    depth: path.depth,
    depthAllowance: path.allowance,
    aliases: totals.aliases,
    rootFields: totals.fields,
    directives: totals.directives + (operation.directives?.length ?? 0) + onVariables.length,
  };
}

interface Totals {
  /** At this level alone. */
  readonly fields: number;
  readonly aliases: number;
  readonly directives: number;
}

const NOTHING: Totals = Object.freeze({ fields: 0, aliases: 0, directives: 0 });

function createTotalsCounter(fragments: Fragments): (selectionSet: SelectionSetNode | undefined) => Totals {
  const known = new Map<string, Totals>();

  function countSpread(name: string): Totals {
    const totals = known.get(name) ?? count(fragments.get(name)?.selectionSet);
    known.set(name, totals);
    return totals;
  }

  function countSelection(selection: SelectionNode): Totals {
    const directives = selection.directives?.length ?? 0;
    if (selection.kind === Kind.FRAGMENT_SPREAD)
      return add(countSpread(selection.name.value), { ...NOTHING, directives });
    const below = count(selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) return add(below, { ...NOTHING, directives });
    const aliases = selection.alias ? 1 : 0;
    return {
      fields: 1,
      aliases: below.aliases + aliases,
      directives: below.directives + directives,
    };
  }

  function count(selectionSet: SelectionSetNode | undefined): Totals {
    return (selectionSet?.selections ?? []).reduce(
      (totals, selection) => add(totals, countSelection(selection)),
      NOTHING,
    );
  }

  return count;
}

function add(left: Totals, right: Totals): Totals {
  return {
    fields: left.fields + right.fields,
    aliases: left.aliases + right.aliases,
    directives: left.directives + right.directives,
  };
}

/** A path through the operation: its length, and the largest allowance of a field on it. */
interface Path {
  readonly depth: number;
  readonly allowance: number;
}

type DepthFinder = (
  selectionSet: SelectionSetNode | undefined,
  parent: GraphQLCompositeType | undefined,
  allowance: number,
) => Path;

/**
 * Finds the path that exceeds what is allowed to it by most. What lies below a fragment depends on the allowance it is
 * reached with, so that is part of the memo's key; there are as many as there are different allowances.
 */
function createDepthFinder({ fragments, schema, allowances }: MeasureRequest): DepthFinder {
  const known = new Map<string, Path>();

  function findInSpread(name: string, allowance: number): Path {
    const key = `${allowance} ${name}`;
    const fragment = fragments.get(name);
    const path =
      known.get(key) ?? find(fragment?.selectionSet, fragmentTypeOf(schema, fragment, undefined), allowance);
    known.set(key, path);
    return path;
  }

  function findInField(field: FieldNode, parent: GraphQLCompositeType | undefined, reached: number): Path {
    const allowance = Math.max(reached, allowances.get(`${parent?.name}.${field.name.value}`) ?? 0);
    if (isIntrospectionRoot(field)) return { depth: 1, allowance };
    const below = find(field.selectionSet, fieldTypeOf(schema, parent, field), allowance);
    return { depth: below.depth + 1, allowance: below.allowance };
  }

  function findInSelection(
    selection: SelectionNode,
    parent: GraphQLCompositeType | undefined,
    allowance: number,
  ): Path {
    if (selection.kind === Kind.FIELD) return findInField(selection, parent, allowance);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return findInSpread(selection.name.value, allowance);
    return find(selection.selectionSet, fragmentTypeOf(schema, selection, parent), allowance);
  }

  function find(
    selectionSet: SelectionSetNode | undefined,
    parent: GraphQLCompositeType | undefined,
    allowance: number,
  ): Path {
    let worst: Path | undefined;
    for (const selection of selectionSet?.selections ?? []) {
      const path = findInSelection(selection, parent, allowance);
      if (!worst || path.depth - path.allowance > worst.depth - worst.allowance) worst = path;
    }
    return worst ?? { depth: 0, allowance };
  }

  return find;
}
