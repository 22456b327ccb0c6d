import {
  Kind,
  isTypeDefinitionNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type TypeDefinitionNode,
} from 'graphql';
import { applied, type DirectiveArguments } from './applied-directives.ts';
import { normalizeFieldSet } from './field-set.ts';
import { tagDirectiveOf } from './linked-names.ts';

/** What a subgraph says of a type. */
export interface TypeInSubgraph {
  /** By its field set in one form: whether it is resolvable. */
  readonly keys: ReadonlyMap<string, boolean>;
  readonly isInterfaceObject: boolean;
}

/** What a subgraph says of a field that it resolves. */
export interface FieldInSubgraph {
  readonly requires: string | undefined;
  readonly provides: string | undefined;
  readonly override: string | undefined;
  readonly overrideLabel: string | undefined;
  /** The arguments that come from a context, as one text. */
  readonly context: string | undefined;
}

/** Which subgraph resolves what, as composition wrote it down. */
export interface GraphStructure {
  /** Routing URLs by name. */
  readonly subgraphs: ReadonlyMap<string, string>;
  /** By type, then subgraph. */
  readonly types: ReadonlyMap<string, ReadonlyMap<string, TypeInSubgraph>>;
  /** By coordinate, then subgraph: those that resolve the field. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, FieldInSubgraph>>;
  /** Names of tags by coordinate. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
  /** By kind of operation: `query` → `Query`. */
  readonly roots: ReadonlyMap<string, string>;
}

/** Reads the structure of a supergraph. */
export function readGraphStructure(document: DocumentNode): GraphStructure {
  const reader = new StructureReader(document);
  for (const type of document.definitions.filter(isTypeDefinitionNode)) reader.readType(type);
  return reader;
}

const PLAIN: FieldInSubgraph = {
  requires: undefined,
  provides: undefined,
  override: undefined,
  overrideLabel: undefined,
  context: undefined,
};

class StructureReader implements GraphStructure {
  readonly subgraphs: ReadonlyMap<string, string>;
  readonly types = new Map<string, ReadonlyMap<string, TypeInSubgraph>>();
  readonly fields = new Map<string, ReadonlyMap<string, FieldInSubgraph>>();
  readonly tags = new Map<string, ReadonlySet<string>>();
  readonly roots: ReadonlyMap<string, string>;
  /** Names of subgraphs by their value of `join__Graph`. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #tag: string | undefined;

  constructor(document: DocumentNode) {
    const graphs = graphsOf(document);
    this.#names = new Map(graphs.map(({ value, name }) => [value, name]));
    this.subgraphs = new Map(graphs.map(({ name, url }) => [name, url]));
    this.#tag = tagDirectiveOf(document);
    this.roots = rootsOf(document);
  }

  readType(type: TypeDefinitionNode): void {
    const name = type.name.value;
    if (/^(join|link|core)__/.test(name)) return;
    this.#readTags(name, type.directives);
    const subgraphs = this.#subgraphsOf(type);
    this.types.set(name, subgraphs);
    if ('values' in type)
      for (const value of type.values ?? []) this.#readTags(`${name}.${value.name.value}`, value.directives);
    if (!('fields' in type)) return;
    for (const field of type.fields ?? []) this.#readField(type, field, [...subgraphs.keys()]);
  }

  #subgraphsOf(type: TypeDefinitionNode): ReadonlyMap<string, TypeInSubgraph> {
    const found = new Map<string, { keys: Map<string, boolean>; isInterfaceObject: boolean }>();
    for (const values of applied(type.directives, 'join__type')) {
      const name = this.#nameOf(values);
      const entry = found.get(name) ?? { keys: new Map<string, boolean>(), isInterfaceObject: false };
      found.set(name, entry);
      if (values['isInterfaceObject'] === true) entry.isInterfaceObject = true;
      const key = values['key'];
      if (typeof key === 'string') entry.keys.set(normalizeFieldSet(key), values['resolvable'] !== false);
    }
    return found;
  }

  #readField(
    type: TypeDefinitionNode,
    field: FieldDefinitionNode | InputValueDefinitionNode,
    all: readonly string[],
  ): void {
    const coordinate = `${type.name.value}.${field.name.value}`;
    this.#readTags(coordinate, field.directives);
    if (field.kind === Kind.INPUT_VALUE_DEFINITION) return;
    for (const { name, directives } of field.arguments ?? [])
      this.#readTags(`${coordinate}(${name.value}:)`, directives);
    const joined = applied(field.directives, 'join__field').filter(({ graph }) => graph !== undefined);
    if (joined.length === 0) {
      this.fields.set(coordinate, new Map(all.map((name) => [name, PLAIN])));
      return;
    }
    const resolving = joined.filter(
      ({ external, usedOverridden }) => external !== true && usedOverridden !== true,
    );
    this.fields.set(coordinate, new Map(resolving.map((values) => [this.#nameOf(values), fieldOf(values)])));
  }

  #nameOf({ graph }: DirectiveArguments): string {
    return this.#names.get(String(graph)) ?? String(graph);
  }

  #readTags(coordinate: string, directives: readonly ConstDirectiveNode[] | undefined): void {
    if (this.#tag === undefined) return;
    const names = applied(directives, this.#tag).map(({ name }) => String(name));
    if (names.length > 0) this.tags.set(coordinate, new Set(names));
  }
}

function fieldOf(values: DirectiveArguments): FieldInSubgraph {
  const { requires, provides, override, overrideLabel, contextArguments } = values;
  return {
    requires: typeof requires === 'string' ? normalizeFieldSet(requires) : undefined,
    provides: typeof provides === 'string' ? normalizeFieldSet(provides) : undefined,
    override: typeof override === 'string' ? override : undefined,
    overrideLabel: typeof overrideLabel === 'string' ? overrideLabel : undefined,
    context: contextArguments === undefined ? undefined : JSON.stringify(contextArguments),
  };
}

function graphsOf(document: DocumentNode): readonly { value: string; name: string; url: string }[] {
  return document.definitions
    .filter((node) => node.kind === Kind.ENUM_TYPE_DEFINITION)
    .filter((node) => node.name.value === 'join__Graph')
    .flatMap(({ values = [] }) => values)
    .map(({ name, directives }) => {
      const [graph] = applied(directives, 'join__graph');
      return { value: name.value, name: String(graph?.['name']), url: String(graph?.['url']) };
    });
}

function rootsOf(document: DocumentNode): ReadonlyMap<string, string> {
  return new Map(
    document.definitions
      .filter((node) => node.kind === Kind.SCHEMA_DEFINITION)
      .flatMap(({ operationTypes }) => operationTypes)
      .map(({ operation, type }) => [operation, type.name.value]),
  );
}
