import {
  Kind,
  parse,
  print,
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * What a supergraph says, by coordinate: the same for two texts that mean the same. Order, descriptions, defaults that are spelled
 * out, the spelling of field sets, and the definitions of composition itself do not count.
 */
export function normalizeSupergraph(supergraphSdl: string): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const definition of parse(supergraphSdl, { noLocation: true }).definitions)
    for (const [coordinate, fact] of factsOf(definition)) facts.set(coordinate, fact);
  return facts;
}

type Fact = readonly [coordinate: string, fact: string];

function factsOf(definition: DefinitionNode): readonly Fact[] {
  if (!('name' in definition) || definition.name === undefined || isOfComposition(definition.name.value))
    return [];
  const name = definition.name.value;
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const interfaces = (definition.interfaces ?? []).map((one) => one.name.value).toSorted();
      return [
        [name, `${definition.kind} ${interfaces.join(' & ')} ${directives(definition.directives)}`],
        ...(definition.fields ?? []).flatMap((field): readonly Fact[] => [
          [`${name}.${field.name.value}`, `${print(field.type)} ${directives(field.directives)}`],
          ...inputFacts(`${name}.${field.name.value}`, field.arguments ?? [], (one) => `(${one}:)`),
        ]),
      ];
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return [
        [name, `${definition.kind} ${directives(definition.directives)}`],
        ...inputFacts(name, definition.fields ?? [], (one) => `.${one}`),
      ];
    case Kind.UNION_TYPE_DEFINITION: {
      const members = (definition.types ?? []).map((one) => one.name.value).toSorted();
      return [[name, `${definition.kind} ${members.join(' | ')} ${directives(definition.directives)}`]];
    }
    case Kind.ENUM_TYPE_DEFINITION:
      return [
        [name, `${definition.kind} ${directives(definition.directives)}`],
        ...(definition.values ?? []).map((value): Fact => [
          `${name}.${value.name.value}`,
          `value ${directives(value.directives)}`,
        ]),
      ];
    case Kind.SCALAR_TYPE_DEFINITION:
      return [[name, `${definition.kind} ${directives(definition.directives)}`]];
    case Kind.DIRECTIVE_DEFINITION:
      return [
        [
          `@${name}`,
          definition.locations
            .map(({ value }) => value)
            .toSorted()
            .join(' | '),
        ],
        ...inputFacts(`@${name}`, definition.arguments ?? [], (one) => `(${one}:)`),
      ];
    default:
      return [];
  }
}

/** Of specifications that only routers read; composers differ in the versions that they write. */
function isOfComposition(name: string): boolean {
  return /^(join|link|core|federation)__/.test(name) || ['link', 'core'].includes(name);
}

type InputNode = Extract<DefinitionNode, { kind: Kind.INPUT_OBJECT_TYPE_DEFINITION }>['fields'];

function inputFacts(
  parent: string,
  inputs: NonNullable<InputNode>,
  place: (name: string) => string,
): readonly Fact[] {
  return inputs.map(({ name, type, defaultValue, directives: applied }) => [
    parent + place(name.value),
    `${print(type)} ${defaultValue ? `= ${value(defaultValue)} ` : ''}${directives(applied)}`,
  ]);
}

/** Where an argument of a directive says what it says by default. */
const defaults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  join__type: { extension: 'false', resolvable: 'true', isInterfaceObject: 'false' },
  join__field: { external: 'false', usedOverridden: 'false' },
};
const FIELD_SETS = new Set(['key', 'requires', 'provides']);

function directives(applied: readonly ConstDirectiveNode[] = []): string {
  return applied
    .map((directive) => {
      const name = directive.name.value;
      const given = (directive.arguments ?? [])
        .filter(({ name: { value: argument }, value: set }) => defaults[name]?.[argument] !== print(set))
        .map(({ name: { value: argument }, value: set }) => `${argument}: ${argumentValue(argument, set)}`);
      return `@${name}(${given.toSorted().join(', ')})`;
    })
    .toSorted()
    .join(' ');
}

function argumentValue(name: string, set: ConstValueNode): string {
  if (FIELD_SETS.has(name) && set.kind === Kind.STRING) return fieldSet(set.value);
  return value(set);
}

/** Members of objects, and of lists that are sets, in the order of their names. */
function value(set: ConstValueNode): string {
  if (set.kind === Kind.OBJECT)
    return `{${set.fields
      .map((field) => `${field.name.value}: ${value(field.value)}`)
      .toSorted()
      .join(', ')}}`;
  if (set.kind === Kind.LIST) return `[${set.values.map(value).toSorted().join(', ')}]`;
  return print(set);
}

function fieldSet(text: string): string {
  try {
    const [operation] = parse(`{${text}}`, { noLocation: true }).definitions;
    return operation?.kind === Kind.OPERATION_DEFINITION ? selections(operation.selectionSet) : text;
  } catch {
    return text;
  }
}

function selections(set: SelectionSetNode): string {
  return `{${set.selections.map(selection).toSorted().join(' ')}}`;
}

function selection(node: SelectionNode): string {
  if (node.kind === Kind.FIELD) {
    const given = (node.arguments ?? []).map(print).toSorted();
    const inner = node.selectionSet ? selections(node.selectionSet) : '';
    return `${node.name.value}${given.length > 0 ? `(${given.join(', ')})` : ''}${inner}`;
  }
  if (node.kind === Kind.INLINE_FRAGMENT)
    return `...${node.typeCondition?.name.value ?? ''}${selections(node.selectionSet)}`;
  return print(node);
}
