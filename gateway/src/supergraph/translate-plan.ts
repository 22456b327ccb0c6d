import type { FetchNode, PlanNode, QueryPlan, QueryPlanSelectionNode } from '@apollo/query-planner';
import {
  Kind,
  parse,
  parseValue,
  print,
  stripIgnoredCharacters,
  visit,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { RequirementVariants, Variant } from './requirement-variants.ts';

/** What translating needs to know of a supergraph. */
export interface PlanTranslation {
  readonly variants: RequirementVariants;
  /** The enum value of a subgraph in the supergraph, by its name. */
  readonly graphOf: ReadonlyMap<string, string>;
}

/**
 * Puts subgraphs' own fields back in a plan that was made with variants (`price__with_0: price(currency: EUR)`). In a
 * representation, a field's `alias` is then the key to read and its `name` the key to send. A fetch whose fields require
 * one field with different arguments becomes several: a representation has one place for it.
 */
export function translatePlan(plan: QueryPlan, translation: PlanTranslation): QueryPlan {
  if (translation.variants.byName.size === 0 || !plan.node) return plan;
  const { node } = plan;
  if (node.kind !== 'Subscription') return { ...plan, node: translateNode(node, translation) };
  const primary = translateFetch(node.primary, translation);
  if (primary.kind !== 'Fetch') throw new TypeError('A subscription begins with one fetch.');
  return {
    ...plan,
    node: { ...node, primary, ...(node.rest && { rest: translateNode(node.rest, translation) }) },
  };
}

function translateNode(node: PlanNode, translation: PlanTranslation): PlanNode {
  const translate = (child: PlanNode): PlanNode => translateNode(child, translation);
  switch (node.kind) {
    case 'Fetch':
      return translateFetch(node, translation);
    case 'Flatten':
      return flatten(node.path, translate(node.node));
    case 'Sequence':
    case 'Parallel':
      return { ...node, nodes: node.nodes.map(translate) };
    case 'Condition':
      return {
        ...node,
        ...(node.ifClause && { ifClause: translate(node.ifClause) }),
        ...(node.elseClause && { elseClause: translate(node.elseClause) }),
      };
    case 'Defer': {
      const { primary, deferred } = node;
      return {
        ...node,
        primary: { ...primary, ...(primary.node && { node: translate(primary.node) }) },
        deferred: deferred.map((part) => ({ ...part, ...(part.node && { node: translate(part.node) }) })),
      };
    }
  }
}

/** A fetch that became several is several at the same path. */
function flatten(path: (string | number)[], node: PlanNode): PlanNode {
  if (node.kind !== 'Parallel') return { kind: 'Flatten', path, node };
  return { kind: 'Parallel', nodes: node.nodes.map((child) => ({ kind: 'Flatten', path, node: child })) };
}

function translateFetch(node: FetchNode, { variants, graphOf }: PlanTranslation): FetchNode | PlanNode {
  const mentioned = [...variants.byName.values()].filter(
    ({ name }) => node.operation.includes(name) || JSON.stringify(node.requires ?? []).includes(name),
  );
  if (mentioned.length === 0) return node;
  const document = parse(node.operation, { noLocation: true });
  const graph = graphOf.get(node.serviceName) ?? '';
  const groups = groupsOf(
    document,
    (type, field) => variants.requiredBy(graph, type, field),
    variants,
    mentioned,
  );
  const fetches = groups.map((group, index) => partOf(node, document, group, variants, index));
  const [only] = fetches;
  return only && fetches.length === 1 ? only : { kind: 'Parallel', nodes: fetches };
}

/** Fields of one fetch that can be asked for with one representation. */
interface Group {
  /** `Type.key` at the top of the entity's selection. */
  readonly fields: Set<string>;
  readonly variants: Set<string>;
}

function groupsOf(
  document: DocumentNode,
  requiredBy: (type: string, field: string) => ReadonlySet<string>,
  variants: RequirementVariants,
  mentioned: readonly Variant[],
): Group[] {
  const groups: Group[] = [];
  const shared = { fields: new Set<string>(), variants: new Set<string>() };
  forEachTopField(document, (typeName, field) => {
    const id = topFieldId(typeName, field);
    const needed = requiredBy(typeName, field.name.value);
    if (needed.size === 0) return void shared.fields.add(id);
    let group = groups.find((candidate) => fits(candidate, needed, variants));
    if (!group) groups.push((group = { fields: new Set(), variants: new Set() }));
    group.fields.add(id);
    for (const name of needed) group.variants.add(name);
  });
  const [first] = groups;
  // Without a requirement in sight (the variant is only fetched here) the fetch stays as it is.
  if (!first) return [{ fields: shared.fields, variants: new Set(mentioned.map(({ name }) => name)) }];
  for (const id of shared.fields) first.fields.add(id);
  return groups;
}

function fits(group: Group, needed: ReadonlySet<string>, { byName }: RequirementVariants): boolean {
  const values = new Map([...group.variants].map((name) => [byName.get(name)?.field, name]));
  return [...needed].every((name) => {
    const known = values.get(byName.get(name)?.field);
    return known === undefined || known === name;
  });
}

function partOf(
  node: FetchNode,
  document: DocumentNode,
  group: Group,
  variants: RequirementVariants,
  index: number,
): FetchNode {
  const narrowed = index === 0 && group.fields.size === 0 ? document : onlyFields(document, group.fields);
  const used = usedVariables(narrowed);
  return {
    ...node,
    operation: stripIgnoredCharacters(print(withOwnFields(withoutUnusedVariables(narrowed, used), variants))),
    ...(node.variableUsages && { variableUsages: node.variableUsages.filter((name) => used.has(name)) }),
    ...(node.requires && { requires: requiredFor(node.requires, group.variants, variants) }),
  };
}

function usedVariables(document: DocumentNode): ReadonlySet<string> {
  const used = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void used.add(name.value),
  });
  return used;
}

/** A subgraph refuses an operation that declares what it doesn't use. */
function withoutUnusedVariables(document: DocumentNode, used: ReadonlySet<string>): DocumentNode {
  return visit(document, {
    VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
  });
}

function topFieldId(typeName: string, field: FieldNode): string {
  return `${typeName}.${field.alias?.value ?? field.name.value}`;
}

function forEachTopField(document: DocumentNode, found: (typeName: string, field: FieldNode) => void): void {
  const descend = (set: SelectionSetNode | undefined, typeName: string): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) found(typeName, selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        descend(selection.selectionSet, selection.typeCondition?.name.value ?? typeName);
      }
    }
  };
  descend(entitySelections(document), '');
}

function entitySelections(document: DocumentNode): SelectionSetNode | undefined {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const selection of definition.selectionSet.selections) {
      if (selection.kind === Kind.FIELD && selection.name.value === '_entities')
        return selection.selectionSet;
    }
  }
  return undefined;
}

/** The document with only some of the entity's fields. */
function onlyFields(document: DocumentNode, fields: ReadonlySet<string>): DocumentNode {
  const entities = entitySelections(document);
  if (!entities) return document;
  const narrow = (set: SelectionSetNode, typeName: string): SelectionSetNode => ({
    ...set,
    selections: set.selections.flatMap((selection): SelectionNode[] => {
      if (selection.kind === Kind.FIELD) {
        const isKept = selection.name.value === '__typename' || fields.has(topFieldId(typeName, selection));
        return isKept ? [selection] : [];
      }
      if (selection.kind !== Kind.INLINE_FRAGMENT) return [selection];
      const below = narrow(selection.selectionSet, selection.typeCondition?.name.value ?? typeName);
      return below.selections.length > 0 ? [{ ...selection, selectionSet: below }] : [];
    }),
  });
  const narrowed = narrow(entities, '');
  return visit(document, { SelectionSet: (node) => (node === entities ? narrowed : undefined) });
}

/** `price__with_0` becomes `price__with_0: price(currency: EUR)`. */
function withOwnFields(document: DocumentNode, { byName }: RequirementVariants): DocumentNode {
  return visit(document, {
    Field: {
      leave(node): FieldNode | undefined {
        const variant = byName.get(node.name.value);
        if (!variant) return undefined;
        return {
          ...node,
          alias: node.alias ?? node.name,
          name: { kind: Kind.NAME, value: variant.field },
          arguments: valuesOf(variant),
        };
      },
    },
  });
}

function valuesOf({ values }: Variant): ArgumentNode[] {
  const object = parseValue(`{${values.slice(1, -1)}}`, { noLocation: true });
  if (object.kind !== Kind.OBJECT) return [];
  return object.fields.map(({ name, value }) => ({ kind: Kind.ARGUMENT, name, value }));
}

function requiredFor(
  nodes: readonly QueryPlanSelectionNode[],
  wanted: ReadonlySet<string>,
  variants: RequirementVariants,
): QueryPlanSelectionNode[] {
  return nodes.flatMap((node): QueryPlanSelectionNode[] => {
    const selections = node.selections && requiredFor(node.selections, wanted, variants);
    if (node.kind === 'InlineFragment') return [{ ...node, selections: selections ?? [] }];
    const variant = variants.byName.get(node.name);
    if (variant && !wanted.has(variant.name)) return [];
    const inner = selections ? { ...node, selections } : node;
    return [variant ? { ...inner, name: variant.field, alias: variant.name } : inner];
  });
}
