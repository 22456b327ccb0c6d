import { Kind, visit, type TypeDefinitionNode } from 'graphql';

/** Types that operations reach: by fields, arguments and inputs, as members of unions, and as implementations of interfaces. */
export function reachableTypes(
  types: ReadonlyMap<string, TypeDefinitionNode>,
  roots: readonly string[],
): ReadonlyMap<string, TypeDefinitionNode> {
  const implementations = implementationsOf(types);
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const type = types.get(name);
    if (!type || reached.has(name)) continue;
    reached.add(name);
    waiting.push(...namesIn(type), ...(implementations.get(name) ?? []));
  }
  return new Map([...types].filter(([name]) => reached.has(name)));
}

/** Interfaces and members are named types as well. */
function namesIn(type: TypeDefinitionNode): readonly string[] {
  const names: string[] = [];
  visit(type, { NamedType: ({ name }) => void names.push(name.value) });
  return names;
}

function implementationsOf(
  types: ReadonlyMap<string, TypeDefinitionNode>,
): ReadonlyMap<string, readonly string[]> {
  const byInterface = new Map<string, string[]>();
  for (const type of types.values()) {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const { name } of type.interfaces ?? [])
      byInterface.set(name.value, [...(byInterface.get(name.value) ?? []), type.name.value]);
  }
  return byInterface;
}
