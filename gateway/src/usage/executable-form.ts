import {
  getNullableType,
  isScalarType,
  Kind,
  print,
  stripIgnoredCharacters,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type TypeNode,
  type ValueNode,
  type VariableDefinitionNode,
  parseType,
} from 'graphql';

/** An operation, and the fragments of its document. */
export interface WrittenOperation {
  readonly definition: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** The form in which an operation is recorded. */
export interface ExecutableForm {
  readonly text: string;
  readonly document: DocumentNode;
  /** What has become variables, by their names. It leaves this process in no other way than as the length of a list. */
  readonly literals: ReadonlyMap<string, ValueNode>;
}

/**
 * An operation without what its client has written into it: numbers and texts in arguments become variables, defaults of
 * variables are left out, and fragments that it does not use. It is as valid as the operation, and has the same plan.
 *
 * Enum values, flags, nulls and the names in input objects remain: the schema gives them. So do arguments of directives, which are labels and
 * throttles.
 *
 * @param maxBytes of its text in UTF-8
 * @throws RangeError where it has more. Of most that have, that is found out before any text is made
 */
export function executableFormOf(
  written: WrittenOperation,
  schema: GraphQLSchema,
  maxBytes: number,
): ExecutableForm {
  const document = documentOf(written, maxBytes);
  const hoisted = new HoistedLiterals(written.definition);
  const types = new TypeInfo(schema);
  const enter = (value: ValueNode): ValueNode => hoisted.variableFor(value, types.getInputType());
  const bare = visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Directive: () => false,
      IntValue: { enter },
      FloatValue: { enter },
      StringValue: { enter },
      // the type of its elements is on top
      ListValue: { enter: (value) => hoisted.variableFor(value, types.getParentInputType()) },
      ObjectValue: { enter },
    }),
  );
  const complete = withVariables(bare, hoisted);
  const { literals } = hoisted;
  const text = stripIgnoredCharacters(print(complete));
  if (Buffer.byteLength(text) > maxBytes) throw new RangeError(TOO_LONG);
  return { text, document: complete, literals };
}

const TOO_LONG = 'The operation is too long to be recorded.';

/** @throws RangeError where the names of its fields alone are too many characters */
function documentOf({ definition, fragments }: WrittenOperation, maxCharacters: number): DocumentNode {
  const used = new Map<string, FragmentDefinitionNode>();
  let characters = 0;
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      Field: ({ name, alias }) => {
        characters += name.value.length + (alias?.value.length ?? 0);
        if (characters > maxCharacters) throw new RangeError(TOO_LONG);
      },
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(name.value)) return;
        used.set(name.value, fragment);
        collect(fragment);
      },
    });
  };
  collect(definition);
  return { kind: Kind.DOCUMENT, definitions: [definition, ...used.values()] };
}

/** Variables in the place of what clients have written. */
class HoistedLiterals {
  readonly definitions: VariableDefinitionNode[] = [];
  readonly literals = new Map<string, ValueNode>();
  readonly #taken: ReadonlySet<string>;
  #count = 0;

  constructor({ variableDefinitions = [] }: OperationDefinitionNode) {
    this.#taken = new Set(variableDefinitions.map(({ variable }) => variable.name.value));
  }

  /** The value itself where it may stay, or where only parts of it may not. */
  variableFor(value: ValueNode, type: GraphQLInputType | null | undefined): ValueNode {
    if (!type || !(isLiteral(value) || isOpaque(value, type))) return value;
    const name = { kind: Kind.NAME, value: this.#nextName() } as const;
    const variable = { kind: Kind.VARIABLE, name } as const;
    this.literals.set(name.value, value);
    this.definitions.push({ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) });
    return variable;
  }

  #nextName(): string {
    do this.#count += 1;
    while (this.#taken.has(`literal${this.#count}`));
    return `literal${this.#count}`;
  }
}

/** A number or a text; or a list of nothing else, of which the length says something as well. */
function isLiteral(value: ValueNode): boolean {
  switch (value.kind) {
    case Kind.INT:
    case Kind.FLOAT:
    case Kind.STRING:
      return true;
    case Kind.LIST:
      return value.values.length > 0 && value.values.every(isLiteral);
    default:
      return false;
  }
}

/** What a scalar of the graph's own holds, which has no names that the schema gives. */
function isOpaque({ kind }: ValueNode, type: GraphQLInputType): boolean {
  return (kind === Kind.LIST || kind === Kind.OBJECT) && isScalarType(getNullableType(type));
}

function withVariables(document: DocumentNode, { definitions }: HoistedLiterals): DocumentNode {
  const [operation, ...fragments] = document.definitions as [
    OperationDefinitionNode,
    ...FragmentDefinitionNode[],
  ]; // documentOf made it so
  const used = variablesIn(document);
  const own = (operation.variableDefinitions ?? [])
    .filter(({ variable }) => used.has(variable.name.value))
    .map(withoutDefault);
  return {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, variableDefinitions: [...own, ...definitions] }, ...fragments],
  };
}

/** Those that are only in a scalar's value went with it. */
function variablesIn(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void names.add(name.value) });
  return names;
}

/** With a default a variable may stand where null may not; without, it has to be non-null for that. */
function withoutDefault({ defaultValue, ...definition }: VariableDefinitionNode): VariableDefinitionNode {
  if (!defaultValue || defaultValue.kind === Kind.NULL) return definition;
  return { ...definition, type: nonNull(definition.type) };
}

function nonNull(type: TypeNode): TypeNode {
  return type.kind === Kind.NON_NULL_TYPE ? type : { kind: Kind.NON_NULL_TYPE, type };
}
