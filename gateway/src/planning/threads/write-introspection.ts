import { ownOf } from '@trellis/runtime/own-property';
import {
  getArgumentValues,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  parse,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import {
  capabilitiesOf,
  metaFields,
  ServiceMetaFieldDef,
  serviceTypes,
  type ServiceCapability,
} from '../../supergraph/service-introspection.ts';

/** A question about the schema of clients, or the service. Plain data alone. */
export interface IntrospectionInput {
  /** `__schema`, `__type` or `__service` with its selections, as the one field of a query: fields alone, without conditions. */
  readonly text: string;
  /** Those that its arguments take, coerced. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** What an error does in requests that do not say, for `__service`. @default PROPAGATE */
  readonly defaultOnError?: string;
  /** How long the response may be. */
  readonly maxCharacters: number;
}

/** The response is longer than it may be. */
class ResponseTooLong extends Error {}

/**
 * Answers a question about a schema as JSON, and counts the characters while it does: a few hundred bytes can ask for gigabytes.
 *
 * @returns nothing when the response would be too long
 */
export function writeIntrospection(schema: GraphQLSchema, input: IntrospectionInput): string | undefined {
  const { text, variables, defaultOnError = 'PROPAGATE', maxCharacters } = input;
  const compiler = new QuestionCompiler(schema, variables);
  try {
    const writer = new ResponseWriter(schema, capabilitiesOf(defaultOnError), maxCharacters);
    for (const field of compiler.root(text))
      writer.value(field, writer.resolve(field, undefined), field.type);
    return writer.text;
  } catch (error) {
    if (error instanceof ResponseTooLong) return undefined;
    throw error;
  }
}

/** A field, with its arguments: the same for every object that it is asked of, as introspection has object types alone. */
interface CompiledField {
  readonly key: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly type: GraphQLOutputType;
  readonly arguments: Record<string, unknown>;
  readonly parent: string;
  readonly below: readonly CompiledField[];
}

class QuestionCompiler {
  readonly #schema: GraphQLSchema;
  readonly #variables: Readonly<Record<string, unknown>>;

  constructor(schema: GraphQLSchema, variables: Readonly<Record<string, unknown>>) {
    this.#schema = schema;
    this.#variables = variables;
  }

  root(text: string): readonly CompiledField[] {
    const [operation] = parse(text).definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('The question is no operation.');
    return this.#fields(this.#schema.getQueryType() ?? undefined, fieldsOf(operation));
  }

  #fields(parent: GraphQLObjectType | undefined, nodes: readonly FieldNode[]): readonly CompiledField[] {
    const groups = new Map<string, FieldNode[]>();
    for (const node of nodes) {
      const key = node.alias?.value ?? node.name.value;
      const group = groups.get(key);
      if (group) group.push(node);
      else groups.set(key, [node]);
    }
    return [...groups].map(([key, group]) => this.#field(key, group, parent));
  }

  #field(key: string, nodes: readonly FieldNode[], parent: GraphQLObjectType | undefined): CompiledField {
    const [first] = nodes;
    const definition = first && definitionOf(parent, first.name.value);
    if (!first || !definition) throw new TypeError(`Introspection has no field ${key}.`);
    const below = objectTypeOf(definition.type);
    return {
      key: JSON.stringify(key),
      definition,
      type: definition.type,
      arguments: getArgumentValues(definition, first, this.#variables),
      parent: parent?.name ?? '',
      below: below ? this.#fields(below, nodes.flatMap(fieldsOf)) : [],
    };
  }
}

/** What has a directive stands for nothing: every condition was decided before. */
function fieldsOf({ selectionSet }: Pick<FieldNode, 'selectionSet'>): readonly FieldNode[] {
  return (selectionSet?.selections ?? []).filter(
    (selection) => selection.kind === Kind.FIELD && !selection.directives?.length,
  ) as FieldNode[]; // by their kind
}

function definitionOf(
  parent: GraphQLObjectType | undefined,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  return metaFields.get(name) ?? parent?.getFields()[name];
}

function objectTypeOf(type: GraphQLOutputType): GraphQLObjectType | undefined {
  const inner = getNullableType(type);
  if (isListType(inner)) return objectTypeOf(inner.ofType);
  return isObjectType(inner) ? inner : undefined;
}

class ResponseWriter {
  text = '';
  readonly #schema: GraphQLSchema;
  readonly #capabilities: readonly ServiceCapability[];
  readonly #maxCharacters: number;

  constructor(schema: GraphQLSchema, capabilities: readonly ServiceCapability[], maxCharacters: number) {
    this.#schema = schema;
    this.#capabilities = capabilities;
    this.#maxCharacters = maxCharacters;
  }

  resolve(field: CompiledField, source: unknown): unknown {
    const { definition, parent } = field;
    if (definition.name === TypeNameMetaFieldDef.name) return parent;
    if (definition === ServiceMetaFieldDef) return this.#capabilities;
    if (definition === TypeMetaFieldDef) {
      const ofService = serviceTypes.get(String(field.arguments['name']));
      if (ofService) return ofService;
    }
    const info = { schema: this.#schema } as GraphQLResolveInfo; // introspection reads nothing else of it
    if (!definition.resolve) return ownOf(source, definition.name);
    return definition.resolve(source, field.arguments, undefined, info);
  }

  value(field: CompiledField, value: unknown, type: GraphQLOutputType): void {
    if (value === null || value === undefined) return this.#write('null');
    const inner = getNullableType(type);
    if (isLeafType(inner)) return this.#write(JSON.stringify(inner.serialize(value)));
    if (isListType(inner)) return this.#list(field, value as Iterable<unknown>, inner.ofType); // as the type says
    this.#object(field.below, value);
  }

  #list(field: CompiledField, items: Iterable<unknown>, type: GraphQLOutputType): void {
    let before = '[';
    for (const item of items) {
      this.#write(before);
      this.value(field, item, type);
      before = ',';
    }
    this.#write(before === '[' ? '[]' : ']');
  }

  #object(fields: readonly CompiledField[], source: unknown): void {
    let before = '{';
    for (const field of fields) {
      this.#write(before);
      this.#write(field.key);
      this.#write(':');
      this.value(field, this.resolve(field, source), field.type);
      before = ',';
    }
    this.#write(before === '{' ? '{}' : '}');
  }

  #write(text: string): void {
    this.text += text;
    if (this.text.length > this.#maxCharacters) throw new ResponseTooLong();
  }
}
