import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';
import type { RequiredPart } from './planned-operation.ts';
import type { SubgraphVersion } from './subgraph-version.ts';
import type { Violation } from './violation.ts';

/** Checks that representations hold a key that this version resolves, and all that the fields asked for require of it. */
export function checkEntities(
  document: DocumentNode,
  required: readonly RequiredPart[] | undefined,
  version: SubgraphVersion,
): readonly Violation[] {
  if (!required) return [];
  return [...fieldsByType(document)].flatMap(([type, fields]) =>
    checkType(type, fields, representationOf(type, required), version),
  );
}

function checkType(
  type: string,
  fields: ReadonlySet<string>,
  representation: readonly RequiredPart[],
  version: SubgraphVersion,
): readonly Violation[] {
  const keys = version.keys.get(type);
  if (!keys) return []; // the type does not exist: its text is not valid
  const hasKey = keys.some((key) => holds(representation, key));
  const violations: Violation[] = hasKey
    ? []
    : [violation(`It has no resolvable @key of ${type} that the plan sends.`)];
  for (const field of fields) {
    const requires = version.requiresOf(`${type}.${field}`);
    if (requires && !holds(representation, requires))
      violations.push(violation(`${type}.${field} requires more than the plan sends.`));
  }
  return violations;
}

function violation(message: string): Violation {
  return { rule: 'representation', message };
}

/** Fields that are asked of entities, by type. */
function fieldsByType(document: DocumentNode): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const read = ({ selections }: SelectionSetNode, type: string): void => {
    for (const node of selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) {
        const name = node.typeCondition?.name.value ?? type;
        if (!found.has(name)) found.set(name, new Set());
        read(node.selectionSet, name);
      } else if (node.kind === Kind.FIELD && !node.name.value.startsWith('__'))
        found.get(type)?.add(node.name.value);
      else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = document.definitions.find(
          (definition) =>
            definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === node.name.value,
        );
        if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) continue;
        const name = fragment.typeCondition.name.value;
        if (!found.has(name)) found.set(name, new Set());
        read(fragment.selectionSet, name);
      }
    }
  };
  for (const entities of entityFields(document)) if (entities.selectionSet) read(entities.selectionSet, '');
  return new Map([...found].filter(([name]) => name !== ''));
}

function entityFields({ definitions }: DocumentNode): readonly FieldNode[] {
  return definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .flatMap(({ selectionSet }) => selectionSet.selections)
    .filter((node) => node.kind === Kind.FIELD)
    .filter(({ name }) => name.value === '_entities');
}

/** What is sent of objects of a type; of all types, where the plan renames it (`@interfaceObject`). */
function representationOf(type: string, required: readonly RequiredPart[]): readonly RequiredPart[] {
  const own = required.filter(
    (part) => part.kind === 'field' || part.typeCondition === undefined || part.typeCondition === type,
  );
  const chosen = own.some((part) => part.kind === 'fragment') ? own : required;
  return chosen.flatMap((part) => (part.kind === 'fragment' ? part.selections : [part]));
}

/** Whether all of a field set is sent. A part of it on one type has to be sent on that type, or on all. */
function holds(sent: readonly RequiredPart[], { selections }: SelectionSetNode): boolean {
  return selections.every((node) => {
    if (node.kind === Kind.FIELD) {
      if (node.name.value === '__typename') return true;
      const parts = flatten(sent).filter(({ name }) => name === node.name.value);
      if (parts.length === 0) return false;
      const below = parts.flatMap(({ selections: inner = [] }) => inner);
      return !node.selectionSet || holds(below, node.selectionSet);
    }
    return node.kind !== Kind.INLINE_FRAGMENT || holds(sent, node.selectionSet);
  });
}

function flatten(parts: readonly RequiredPart[]): readonly Extract<RequiredPart, { kind: 'field' }>[] {
  return parts.flatMap((part) => (part.kind === 'field' ? [part] : flatten(part.selections)));
}
