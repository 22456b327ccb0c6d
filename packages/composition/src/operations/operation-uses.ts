import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  Kind,
  parse,
  typeFromAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ArgumentNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type ObjectFieldNode,
} from 'graphql';

/** What an operation uses of a schema. */
export interface OperationUses {
  /** Coordinates: types, fields with those of the types that may stand there, arguments, input fields, enum values, directives. */
  readonly coordinates: ReadonlySet<string>;
  /** Input types and enums whose values its variables may hold. */
  readonly sent: ReadonlySet<string>;
}

/** Finds what a document uses. What the schema does not know is left out. */
export function operationUses(
  document: DocumentNode,
  schema: GraphQLSchema,
  inputs: InputIndex,
): OperationUses {
  const finder = new UseFinder(schema, inputs);
  const typeInfo = new TypeInfo(schema);
  visit(document, visitWithTypeInfo(typeInfo, finder.visitor(typeInfo)));
  return finder;
}

/** The coordinates that a document names. @throws GraphQLError where the text is none */
export function operationCoordinates(document: string, schema: GraphQLSchema): ReadonlySet<string> {
  return operationUses(parse(document), schema, new InputIndex()).coordinates;
}

/** Which input types and enums a value of an input type may hold, looked up once for each schema. */
export class InputIndex {
  readonly #known = new Map<string, ReadonlySet<string>>();

  /** Names of the type itself, if it is an input or enum, and of all that is below it. */
  reachableFrom(type: GraphQLNamedType): ReadonlySet<string> {
    const known = this.#known.get(type.name);
    if (known) return known;
    const found = new Set<string>();
    const pending: GraphQLNamedType[] = [type];
    for (let next = pending.pop(); next; next = pending.pop()) {
      if (found.has(next.name) || !(isInputObjectType(next) || isEnumType(next))) continue;
      found.add(next.name);
      if (isInputObjectType(next))
        pending.push(...Object.values(next.getFields()).map((field) => getNamedType(field.type)));
    }
    this.#known.set(type.name, found);
    return found;
  }
}

class UseFinder implements OperationUses {
  readonly coordinates = new Set<string>();
  readonly sent = new Set<string>();
  readonly #schema: GraphQLSchema;
  readonly #inputs: InputIndex;

  constructor(schema: GraphQLSchema, inputs: InputIndex) {
    this.#schema = schema;
    this.#inputs = inputs;
  }

  visitor(typeInfo: TypeInfo): ASTVisitor {
    return {
      Field: () => this.#field(typeInfo),
      Argument: (node) => this.#argument(node, typeInfo),
      ObjectField: (node) => this.#objectField(node, typeInfo),
      EnumValue: ({ value }) => {
        const type = getNamedType(typeInfo.getInputType());
        if (type) this.coordinates.add(type.name).add(`${type.name}.${value}`);
      },
      Directive: ({ name }) => {
        this.coordinates.add(`@${name.value}`);
      },
      NamedType: ({ name }) => {
        this.coordinates.add(name.value);
      },
      VariableDefinition: (node) => {
        const type = getNamedType(typeFromAST(this.#schema, node.type));
        for (const name of type ? this.#inputs.reachableFrom(type) : []) {
          this.sent.add(name);
          this.coordinates.add(name);
        }
      },
    };
  }

  #field(typeInfo: TypeInfo): void {
    const parent = typeInfo.getParentType();
    const field = typeInfo.getFieldDef();
    if (!parent || !field || field.name.startsWith('__')) return;
    for (const name of this.#typesAt(parent)) this.coordinates.add(name).add(`${name}.${field.name}`);
    const returned = getNamedType(field.type);
    for (const name of isCompositeType(returned) ? this.#typesAt(returned) : [returned.name])
      this.coordinates.add(name);
  }

  /** A type, and the types that may stand for it. */
  #typesAt(type: GraphQLNamedType): readonly string[] {
    if (!isAbstractType(type)) return [type.name];
    return [type.name, ...this.#schema.getPossibleTypes(type).map(({ name }) => name)];
  }

  #argument({ name }: ArgumentNode, typeInfo: TypeInfo): void {
    const directive = typeInfo.getDirective();
    if (directive) this.coordinates.add(`@${directive.name}(${name.value}:)`);
    const [parent, field] = [typeInfo.getParentType(), typeInfo.getFieldDef()];
    if (directive || !parent || !field) return;
    for (const type of this.#typesAt(parent)) this.coordinates.add(`${type}.${field.name}(${name.value}:)`);
    const input = getNamedType(typeInfo.getInputType());
    if (input) this.coordinates.add(input.name);
  }

  #objectField({ name, value }: ObjectFieldNode, typeInfo: TypeInfo): void {
    const parent = getNamedType(typeInfo.getParentInputType());
    if (!parent) return;
    this.coordinates.add(parent.name).add(`${parent.name}.${name.value}`);
    if (value.kind === Kind.OBJECT) {
      const type = getNamedType(typeInfo.getInputType());
      if (type) this.coordinates.add(type.name);
    }
  }
}
