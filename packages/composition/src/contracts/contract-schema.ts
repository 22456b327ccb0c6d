import {
  buildASTSchema,
  isTypeDefinitionNode,
  Kind,
  parse,
  printSchema,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  type NamedTypeNode,
  type TypeDefinitionNode,
  type TypeNode,
} from 'graphql';
import type { ContractRules } from './contract-rules.ts';
import { reachableTypes } from './reachable-types.ts';

/** Names of tags by coordinate. */
export type Tags = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The schema of clients that see a part of a graph. What has an excluded tag is hidden. With included tags, fields of objects and interfaces are shown where
 * they, or their type, have one of them. What leads to something hidden is hidden as well, and so is a type that no operation reaches.
 *
 * @returns nothing where no query is left
 */
export function contractSchema(
  api: GraphQLSchema,
  tags: Tags,
  rules: ContractRules,
): GraphQLSchema | undefined {
  const document = parse(printSchema(api), { noLocation: true });
  const types = new Map(
    document.definitions.filter(isTypeDefinitionNode).map((node) => [node.name.value, node]),
  );
  const filter = new ContractFilter(types, tags, rules);
  filter.settle();
  const query = api.getQueryType()?.name ?? 'Query';
  if (!filter.types.has(query)) return undefined;
  const roots = [api.getQueryType(), api.getMutationType(), api.getSubscriptionType()];
  const reached = reachableTypes(
    filter.types,
    roots.flatMap((root) => (root ? [root.name] : [])),
  );
  return buildASTSchema(withTypes(document, reached), { assumeValid: true, assumeValidSDL: true });
}

function withTypes(
  { definitions }: DocumentNode,
  types: ReadonlyMap<string, TypeDefinitionNode>,
): DocumentNode {
  const others = definitions.filter((node) => !isTypeDefinitionNode(node));
  const rest = others.map((node) =>
    node.kind === Kind.SCHEMA_DEFINITION
      ? { ...node, operationTypes: node.operationTypes.filter(({ type }) => types.has(type.name.value)) }
      : node,
  );
  return { kind: Kind.DOCUMENT, definitions: [...rest, ...types.values()] };
}

class ContractFilter {
  types: ReadonlyMap<string, TypeDefinitionNode>;
  readonly #tags: Tags;
  readonly #rules: ContractRules;
  readonly #known: ReadonlySet<string>;

  constructor(types: ReadonlyMap<string, TypeDefinitionNode>, tags: Tags, rules: ContractRules) {
    this.#tags = tags;
    this.#rules = rules;
    this.#known = new Set(types.keys());
    this.types = types;
  }

  /** Hides until nothing leads to what is hidden. */
  settle(): void {
    for (let size = -1, fields = -1; size !== this.types.size || fields !== countFields(this.types);) {
      size = this.types.size;
      fields = countFields(this.types);
      const left = [...this.types.values()].map((type) => this.#filterType(type));
      this.types = new Map(left.filter((type) => type !== undefined).map((type) => [type.name.value, type]));
    }
  }

  #filterType(type: TypeDefinitionNode): TypeDefinitionNode | undefined {
    const name = type.name.value;
    if (this.#isExcluded(name)) return undefined;
    switch (type.kind) {
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.INTERFACE_TYPE_DEFINITION: {
        const isWhole = this.#isIncluded(name);
        const fields = (type.fields ?? []).flatMap((field) => this.#filterField(name, field, isWhole) ?? []);
        const interfaces = (type.interfaces ?? []).filter((other) => this.#isVisible(other));
        return fields.length === 0 ? undefined : { ...type, fields, interfaces };
      }
      case Kind.UNION_TYPE_DEFINITION: {
        const members = (type.types ?? []).filter((member) => this.#isVisible(member));
        return members.length === 0 ? undefined : { ...type, types: members };
      }
      case Kind.ENUM_TYPE_DEFINITION: {
        const values = (type.values ?? []).filter(
          (value) => !this.#isExcluded(`${name}.${value.name.value}`),
        );
        return values.length === 0 ? undefined : { ...type, values };
      }
      case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
        const fields = this.#filterInputs(type.fields ?? [], (field) => `${name}.${field}`);
        return fields === undefined || fields.length === 0 ? undefined : { ...type, fields };
      }
      case Kind.SCALAR_TYPE_DEFINITION:
        return type;
      default:
        return type satisfies never;
    }
  }

  #filterField(type: string, field: FieldDefinitionNode, isWhole: boolean): FieldDefinitionNode | undefined {
    const coordinate = `${type}.${field.name.value}`;
    if (this.#isExcluded(coordinate) || !(isWhole || this.#isIncluded(coordinate))) return undefined;
    if (!this.#isVisible(namedType(field.type))) return undefined;
    const given = this.#filterInputs(field.arguments ?? [], (name) => `${coordinate}(${name}:)`);
    return given && { ...field, arguments: given };
  }

  /** @returns nothing where a required one is hidden */
  #filterInputs(
    inputs: readonly InputValueDefinitionNode[],
    coordinateOf: (name: string) => string,
  ): readonly InputValueDefinitionNode[] | undefined {
    const isShown = ({ name, type }: InputValueDefinitionNode): boolean =>
      !this.#isExcluded(coordinateOf(name.value)) && this.#isVisible(namedType(type));
    const hidden = inputs.filter((input) => !isShown(input));
    const isRequired = hidden.some(
      ({ type, defaultValue }) => type.kind === Kind.NON_NULL_TYPE && !defaultValue,
    );
    return isRequired ? undefined : inputs.filter(isShown);
  }

  /** Scalars of the language are no types of the document. */
  #isVisible({ name }: NamedTypeNode): boolean {
    return this.types.has(name.value) || !this.#known.has(name.value);
  }

  #isExcluded(coordinate: string): boolean {
    return this.#hasTag(coordinate, this.#rules.exclude);
  }

  #isIncluded(coordinate: string): boolean {
    return this.#rules.include.length === 0 || this.#hasTag(coordinate, this.#rules.include);
  }

  #hasTag(coordinate: string, names: readonly string[]): boolean {
    const tags = this.#tags.get(coordinate);
    return tags !== undefined && names.some((name) => tags.has(name));
  }
}

function countFields(types: ReadonlyMap<string, TypeDefinitionNode>): number {
  return [...types.values()].reduce(
    (sum, type) => sum + ('fields' in type ? (type.fields?.length ?? 0) : 0),
    0,
  );
}

function namedType(type: TypeNode): NamedTypeNode {
  return type.kind === Kind.NAMED_TYPE ? type : namedType(type.type);
}
