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

/** The variants of a supergraph. */
export interface RequirementVariants {
  /** By the variant's own name. */
  readonly byName: ReadonlyMap<string, Variant>;
  /** Names of the variants that a field of a subgraph requires, by `subgraph enum value, type, field`. */
  requiredBy(graph: string, typeName: string, fieldName: string): ReadonlySet<string>;
}

/** A supergraph in which every requirement with arguments is a field of its own. */
export interface SeparatedSupergraph {
  readonly document: DocumentNode;
  readonly variants: RequirementVariants;
}

type FieldedType = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

const nothing: ReadonlySet<string> = new Set();

/**
 * Gives `price(currency: EUR)` inside a `@requires` a field of its own, `price__with_0`, without arguments. The planner would
 * fetch it under the key `price`, which the client's `price`, or another requirement with other arguments, may hold: one
 * of them would be answered with the other's value, silently. What is planned is translated back before it runs.
 */
export function separateRequirements(sdl: string): SeparatedSupergraph {
  const document = parse(sdl);
  const separator = new Separator(document);
  for (const type of separator.types.values()) separator.readRequirements(type);
  return { document: separator.rewrite(document), variants: separator.variants() };
}

class Separator {
  readonly types: ReadonlyMap<string, FieldedType>;
  readonly #variants = new Map<string, Variant>();
  readonly #nameOf = new Map<string, string>();
  /** By type, the variants that it is to have as fields. */
  readonly #fields = new Map<string, Set<Variant>>();
  readonly #requiredBy = new Map<string, Set<string>>();
  /** New texts of `requires`, by the directive. */
  readonly #texts = new Map<ConstDirectiveNode, string>();

  constructor(document: DocumentNode) {
    const fielded = document.definitions.filter(
      (definition) =>
        definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION,
    );
    this.types = new Map(fielded.map((type) => [type.name.value, type]));
  }

  variants(): RequirementVariants {
    const requiredBy = this.#requiredBy;
    return {
      byName: this.#variants,
      requiredBy: (graph, typeName, fieldName) =>
        requiredBy.get(`${graph} ${typeName}.${fieldName}`) ?? nothing,
    };
  }

  readRequirements(type: FieldedType): void {
    for (const field of type.fields ?? []) {
      for (const directive of field.directives ?? []) {
        const requires = argumentOf(directive, 'requires');
        if (requires?.includes('(')) this.#readRequirement(type, field, directive, requires);
      }
    }
  }

  #readRequirement(
    type: FieldedType,
    field: FieldDefinitionNode,
    directive: ConstDirectiveNode,
    text: string,
  ): void {
    const used = new Set<string>();
    const rewritten = this.#separate(parseFieldSet(text), type.name.value, used);
    if (used.size === 0) return;
    this.#texts.set(
      directive,
      print(rewritten)
        .replace(/^\{|\}$/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
    const graph = graphOf(directive);
    this.#requiredBy.set(`${graph} ${type.name.value}.${field.name.value}`, used);
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
    for (const type of this.types.values()) {
      const implementsIt = type.interfaces?.some(({ name }) => name.value === typeName);
      if (implementsIt) this.#addField(type.name.value, variant);
    }
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

/** It is where the field is, by the same subgraphs: all that differs is that nobody chooses its arguments. */
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
