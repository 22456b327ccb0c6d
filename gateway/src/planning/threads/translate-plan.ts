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
  type SelectionSetNode,
} from 'graphql';
import type { DependentField } from '../../plan/fetch-fields.ts';
import { dropUnusedVariables, entitySelections, keepEntityFields } from '../../plan/prune-document.ts';
import type { FieldRequirement, Requirements, Variant } from './requirements.ts';

/** What translating needs to know of a supergraph. */
export interface PlanTranslation {
  readonly requirements: Requirements;
  /** The enum value of a subgraph in the supergraph, by its name. */
  readonly graphOf: ReadonlyMap<string, string>;
}

/** A fetch that says which of its fields need more than a key. */
export type TranslatedFetch = FetchNode & { readonly dependents?: readonly DependentField[] };

/**
 * Puts subgraphs' own fields back in a plan that was made with variants (`price__with_0: price(currency: EUR)`). In a
 * representation, a field's `alias` is then the key to read and its `name` the key to send. A fetch whose fields require
 * one field with different arguments becomes several: a representation has one place for it.
 */
export function translatePlan(plan: QueryPlan, translation: PlanTranslation): QueryPlan {
  if (!plan.node) return plan;
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
    default:
      return node satisfies never;
  }
}

/** A fetch that became several is several at the same path. */
function flatten(path: (string | number)[], node: PlanNode): PlanNode {
  if (node.kind !== 'Parallel') return { kind: 'Flatten', path, node };
  return { kind: 'Parallel', nodes: node.nodes.map((child) => ({ kind: 'Flatten', path, node: child })) };
}

function translateFetch(node: FetchNode, { requirements, graphOf }: PlanTranslation): FetchNode | PlanNode {
  const { variants, graphs } = requirements;
  const mentioned = [...variants.values()].filter(
    ({ name }) => node.operation.includes(name) || JSON.stringify(node.requires ?? []).includes(name),
  );
  const graph = graphOf.get(node.serviceName) ?? '';
  if (mentioned.length === 0 && !(node.requires && graphs.has(graph))) return node;
  const document = parse(node.operation, { noLocation: true });
  const fields = topFields(document, requirements, graph);
  if (mentioned.length === 0) return withDependents(node, fields);
  const groups = groupsOf(fields, variants, mentioned);
  const fetches = groups.map((group, index) =>
    withDependents(
      partOf(node, document, group, variants, index),
      fields.filter(({ id }) => group.fields.has(id)),
    ),
  );
  const [only] = fetches;
  return only && fetches.length === 1 ? only : { kind: 'Parallel', nodes: fetches };
}

function withDependents(node: FetchNode, fields: readonly TopField[]): TranslatedFetch {
  const dependents = fields.flatMap(({ typeName, key, requirement }) =>
    requirement ? [{ typeCondition: typeName, key, needs: [...requirement.keys] }] : [],
  );
  return dependents.length > 0 ? { ...node, dependents } : node;
}

/** A field at the top of a fetch's entities. */
interface TopField {
  /** `Type.key`. */
  readonly id: string;
  readonly typeName: string;
  readonly key: string;
  readonly requirement: FieldRequirement | undefined;
}

function topFields(document: DocumentNode, requirements: Requirements, graph: string): TopField[] {
  const fields: TopField[] = [];
  const descend = (set: SelectionSetNode | undefined, typeName: string): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const key = keyOf(selection);
        const requirement = requirements.of(graph, typeName, selection.name.value);
        fields.push({ id: `${typeName}.${key}`, typeName, key, requirement });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        descend(selection.selectionSet, selection.typeCondition?.name.value ?? typeName);
      }
    }
  };
  descend(entitySelections(document), '');
  return fields;
}

function keyOf(field: FieldNode): string {
  return field.alias?.value ?? field.name.value;
}

/** Fields of one fetch that can be asked for with one representation. */
interface Group {
  /** `Type.key` at the top of the entity's selection. */
  readonly fields: Set<string>;
  readonly variants: Set<string>;
}

function groupsOf(
  fields: readonly TopField[],
  variants: ReadonlyMap<string, Variant>,
  mentioned: readonly Variant[],
): Group[] {
  const groups: Group[] = [];
  const shared = new Set<string>();
  for (const { id, requirement } of fields) {
    if (!requirement || requirement.variants.size === 0) {
      shared.add(id);
      continue;
    }
    let group = groups.find((candidate) => fits(candidate, requirement.variants, variants));
    if (!group) groups.push((group = { fields: new Set(), variants: new Set() }));
    group.fields.add(id);
    for (const name of requirement.variants) group.variants.add(name);
  }
  const [first] = groups;
  // Without a requirement in sight (the variant is only fetched here) the fetch stays as it is.
  if (!first) return [{ fields: shared, variants: new Set(mentioned.map(({ name }) => name)) }];
  for (const id of shared) first.fields.add(id);
  return groups;
}

function fits(group: Group, needed: ReadonlySet<string>, variants: ReadonlyMap<string, Variant>): boolean {
  const values = new Map([...group.variants].map((name) => [variants.get(name)?.field, name]));
  return [...needed].every((name) => {
    const known = values.get(variants.get(name)?.field);
    return known === undefined || known === name;
  });
}

function partOf(
  node: FetchNode,
  document: DocumentNode,
  group: Group,
  variants: ReadonlyMap<string, Variant>,
  index: number,
): FetchNode {
  const keepsAll = index === 0 && group.fields.size === 0;
  const { document: declared, used } = dropUnusedVariables(
    keepsAll ? document : keepEntityFields(document, (field, type = '') => isIn(group, field, type)),
  );
  return {
    ...node,
    operation: stripIgnoredCharacters(print(withOwnFields(declared, variants))),
    ...(node.variableUsages && { variableUsages: node.variableUsages.filter((name) => used.has(name)) }),
    ...(node.requires && { requires: requiredFor(node.requires, group.variants, variants) }),
  };
}

function isIn({ fields }: Group, field: FieldNode, typeName: string): boolean {
  return field.name.value === '__typename' || fields.has(`${typeName}.${keyOf(field)}`);
}

/** `price__with_0` becomes `price__with_0: price(currency: EUR)`. */
function withOwnFields(document: DocumentNode, variants: ReadonlyMap<string, Variant>): DocumentNode {
  return visit(document, {
    Field: {
      leave(node): FieldNode | undefined {
        const variant = variants.get(node.name.value);
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
  variants: ReadonlyMap<string, Variant>,
): QueryPlanSelectionNode[] {
  return nodes.flatMap((node): QueryPlanSelectionNode[] => {
    const selections = node.selections && requiredFor(node.selections, wanted, variants);
    if (node.kind === 'InlineFragment') return [{ ...node, selections: selections ?? [] }];
    const variant = variants.get(node.name);
    if (variant && !wanted.has(variant.name)) return [];
    const inner = selections ? { ...node, selections } : node;
    return [variant ? { ...inner, name: variant.field, alias: variant.name } : inner];
  });
}
