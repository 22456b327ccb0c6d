import {
  Kind,
  parse,
  print,
  visit,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type FieldNode,
  type InterfaceTypeDefinitionNode,
  type ObjectTypeDefinitionNode,
  type SelectionSetNode,
  type TypeNode,
} from 'graphql';

/** A field with the arguments that some `@requires` gives it, under a name of its own. */
export interface Variant {
  /** As planned: `price__with_0`. */
  readonly name: string;
  /** As subgraphs know it: `price`. */
  readonly field: string;
  /** `(currency: EUR)`. */
  readonly values: string;
}

/** What a field of a subgraph requires of its object. */
export interface FieldRequirement {
  /** Keys at the top, variants by their own names. */
  readonly keys: ReadonlySet<string>;
  /** Names of variants, at any depth. */
  readonly variants: ReadonlySet<string>;
}

/** What the subgraphs of a supergraph require of each other. */
export interface Requirements {
  /** By the variant's own name. */
  readonly variants: ReadonlyMap<string, Variant>;
  /** The enum values of the subgraphs that require anything. */
  readonly graphs: ReadonlySet<string>;
  /**
   * @param graph the subgraph's enum value in the supergraph
   * @param typeName an interface stands for what implements it
   */
  of(graph: string, typeName: string, fieldName: string): FieldRequirement | undefined;
}

/** A supergraph in which every requirement with arguments is a field of its own: the same document where there is none. */
export interface SeparatedSupergraph {
  readonly document: DocumentNode;
  readonly requirements: Requirements;
}

type FieldedType = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

/**
 * Gives `price(currency: EUR)` inside a `@requires` a field of its own, `price__with_0`, without arguments. The planner would
 * fetch it under the key `price`, which the client's `price`, or another requirement with other arguments, may hold: one
 * of them would be answered with the other's value, silently. What is planned is translated back before it runs.
 */
export function separateRequirements(document: DocumentNode): SeparatedSupergraph {
  const separator = new Separator(document);
  for (const type of separator.types.values()) separator.readRequirements(type);
  return { document: separator.rewrite(document), requirements: separator.requirements() };
}

class Separator {
  readonly types: ReadonlyMap<string, FieldedType>;
  readonly #variants = new Map<string, Variant>();
  readonly #nameOf = new Map<string, string>();
  /** By type, the variants that it is to have as fields. */
  readonly #fields = new Map<string, Set<Variant>>();
  readonly #requirements = new Map<string, FieldRequirement>();
  readonly #graphs = new Set<string>();
  /** New texts of `requires`, by the directive. */
  readonly #texts = new Map<ConstDirectiveNode, string>();

  constructor(document: DocumentNode) {
    const fielded = document.definitions.filter(
      (definition) =>
        definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION,
    );
    this.types = new Map(fielded.map((type) => [type.name.value, type]));
  }

  requirements(): Requirements {
    return {
      variants: this.#variants,
      graphs: this.#graphs,
      of: (graph, typeName, fieldName) => {
        const types = [typeName, ...this.#implementing(typeName)];
        const found = types.flatMap((type) => this.#requirements.get(`${graph} ${type}.${fieldName}`) ?? []);
        return found.length > 1 ? union(found) : found[0];
      },
    };
  }

  #implementing(typeName: string): string[] {
    return [...this.types.values()]
      .filter(({ interfaces }) => interfaces?.some(({ name }) => name.value === typeName))
      .map(({ name }) => name.value);
  }

  readRequirements(type: FieldedType): void {
    for (const field of type.fields ?? []) {
      for (const directive of field.directives ?? []) {
        const requires = argumentOf(directive, 'requires');
        if (requires !== undefined) this.#readRequirement(type, field, directive, requires);
      }
    }
  }

  #readRequirement(
    type: FieldedType,
    field: FieldDefinitionNode,
    directive: ConstDirectiveNode,
    text: string,
  ): void {
    const variants = new Set<string>();
    const rewritten = this.#separate(parseFieldSet(text), type.name.value, variants);
    const keys = new Set(topNames(rewritten));
    const graph = graphOf(directive);
    this.#graphs.add(graph);
    this.#requirements.set(`${graph} ${type.name.value}.${field.name.value}`, { keys, variants });
    if (variants.size > 0) this.#texts.set(directive, printFieldSet(rewritten));
  }

  #separate(set: SelectionSetNode, typeName: string, used: Set<string>): SelectionSetNode {
    const selections = set.selections.map((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const condition = selection.typeCondition?.name.value ?? typeName;
        return { ...selection, selectionSet: this.#separate(selection.selectionSet, condition, used) };
      }
      return this.#separateField(selection, typeName, used);
    });
    return { ...set, selections };
  }

  #separateField(node: FieldNode, typeName: string, used: Set<string>): FieldNode {
    const definition = this.types.get(typeName)?.fields?.find(({ name }) => name.value === node.name.value);
    if (!definition) return node;
    const below = node.selectionSet && this.#separate(node.selectionSet, nameOfType(definition.type), used);
    const inner = below ? { ...node, selectionSet: below } : node;
    if (!node.arguments || node.arguments.length === 0) return inner;
    const variant = this.#variantOf(node);
    used.add(variant.name);
    this.#addField(typeName, variant);
    return { ...inner, name: { kind: Kind.NAME, value: variant.name }, arguments: [] };
  }

  #variantOf(node: FieldNode): Variant {
    const field = node.name.value;
    const values = `(${(node.arguments ?? [])
      .map((argument) => print(argument))
      .toSorted()
      .join(', ')})`;
    const known = this.#variants.get(this.#nameOf.get(field + values) ?? '');
    if (known) return known;
    const variant = { name: `${field}__with_${this.#variants.size}`, field, values };
    this.#nameOf.set(field + values, variant.name);
    this.#variants.set(variant.name, variant);
    return variant;
  }

  /** A field of an interface is one of everything that implements it. */
  #addField(typeName: string, variant: Variant): void {
    const fields = this.#fields.get(typeName);
    if (fields?.has(variant)) return;
    if (fields) fields.add(variant);
    else this.#fields.set(typeName, new Set([variant]));
    for (const name of this.#implementing(typeName)) this.#addField(name, variant);
  }

  rewrite(document: DocumentNode): DocumentNode {
    if (this.#variants.size === 0) return document;
    const rewriteType = <Type extends FieldedType>(type: Type): Type => {
      const added = [...(this.#fields.get(type.name.value) ?? [])].flatMap((variant) =>
        variantField(type, variant),
      );
      return {
        ...type,
        fields: [...(type.fields ?? []), ...added].map((field) => this.#rewriteField(field)),
      };
    };
    return visit(document, { ObjectTypeDefinition: rewriteType, InterfaceTypeDefinition: rewriteType });
  }

  #rewriteField(field: FieldDefinitionNode): FieldDefinitionNode {
    const directives = field.directives?.map((directive) => {
      const text = this.#texts.get(directive);
      return text === undefined ? directive : withArgument(directive, 'requires', text);
    });
    return directives ? { ...field, directives } : field;
  }
}

/** It is where the field is, by the same subgraphs: all that differs is that its arguments are not chosen. */
function variantField(type: FieldedType, variant: Variant): FieldDefinitionNode[] {
  const original = type.fields?.find(({ name }) => name.value === variant.field);
  return original ? [{ ...original, name: { kind: Kind.NAME, value: variant.name }, arguments: [] }] : [];
}

function argumentOf(directive: ConstDirectiveNode, name: string): string | undefined {
  const value = directive.arguments?.find((argument) => argument.name.value === name)?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

function withArgument(directive: ConstDirectiveNode, name: string, text: string): ConstDirectiveNode {
  const values = directive.arguments?.map((argument) =>
    argument.name.value === name
      ? { ...argument, value: { kind: Kind.STRING as const, value: text } }
      : argument,
  );
  return values ? { ...directive, arguments: values } : directive;
}

function graphOf(directive: ConstDirectiveNode): string {
  const value = directive.arguments?.find(({ name }) => name.value === 'graph')?.value;
  return value?.kind === Kind.ENUM ? value.value : '';
}

function parseFieldSet(text: string): SelectionSetNode {
  const [definition] = parse(`{${text}}`, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError(`Not a field set: ${text}`);
  return definition.selectionSet;
}

function nameOfType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOfType(type.type);
}

function union(requirements: readonly FieldRequirement[]): FieldRequirement {
  return {
    keys: new Set(requirements.flatMap(({ keys }) => [...keys])),
    variants: new Set(requirements.flatMap(({ variants }) => [...variants])),
  };
}

function topNames(set: SelectionSetNode): string[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection.name.value];
    return selection.kind === Kind.INLINE_FRAGMENT ? topNames(selection.selectionSet) : [];
  });
}

function printFieldSet(set: SelectionSetNode): string {
  return print(set)
    .replaceAll(/^\{|\}$/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
