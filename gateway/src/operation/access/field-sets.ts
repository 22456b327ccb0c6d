import type {
  FieldDefinition,
  InterfaceType,
  NamedType,
  ObjectType,
  Schema,
} from '@apollo/federation-internals';
import { Kind, parse, type SelectionNode, type SelectionSetNode } from 'graphql';
import { appliedArguments, JOIN_IDENTITY, linkedDirectives } from '../../supergraph/linked-directives.ts';
import { federationInternals } from '../../supergraph/apollo-packages.ts';

/** A field of an object or interface type. */
export type OutputField = FieldDefinition<ObjectType> | FieldDefinition<InterfaceType>;

/** Finds what a subgraph is fed with to resolve a field. */
export interface FieldSetReader {
  /** The fields named by `@requires` of a field and by `@fromContext` of its arguments, with those that lead there. */
  fieldsFeeding(field: OutputField): readonly OutputField[];
}

const CONTEXT_IDENTITY = 'https://specs.apollo.dev/context';

/** Reads the `@join__field` applications of a supergraph. Join specification: @join__field. */
export function createFieldSetReader(schema: Schema): FieldSetReader {
  const joinField = linkedDirectives(schema, 'field', JOIN_IDENTITY);
  const typesOfContext = readContexts(schema);

  function fieldsOfContext(argument: unknown): readonly OutputField[] {
    const { context, selection } = argument as Readonly<Record<string, unknown>>; // join__ContextArgument, validated with the supergraph
    if (typeof context !== 'string' || typeof selection !== 'string') return [];
    return (typesOfContext.get(context) ?? []).flatMap((type) => fieldsIn(selection, type, schema));
  }

  return {
    fieldsFeeding: (field) =>
      appliedArguments(field, joinField).flatMap(({ requires, contextArguments }) => [
        ...(typeof requires === 'string' ? fieldsIn(requires, field.parent, schema) : []),
        ...(Array.isArray(contextArguments) ? contextArguments.flatMap(fieldsOfContext) : []),
      ]),
  };
}

/** The types that provide each context, by its name in the supergraph. */
function readContexts(schema: Schema): ReadonlyMap<string, readonly NamedType[]> {
  const directives = linkedDirectives(schema, 'context', CONTEXT_IDENTITY);
  const contexts = new Map<string, NamedType[]>();
  for (const type of schema.types()) {
    for (const { name } of appliedArguments(type, directives))
      contexts.set(String(name), [...(contexts.get(String(name)) ?? []), type]);
  }
  return contexts;
}

function fieldsIn(fieldSet: string, type: NamedType, schema: Schema): readonly OutputField[] {
  const text = fieldSet.trimStart().startsWith('{') ? fieldSet : `{${fieldSet}}`;
  const [definition] = parse(text).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION
    ? fieldsSelected(definition.selectionSet, type, schema)
    : [];
}

function fieldsSelected(
  selectionSet: SelectionSetNode | undefined,
  type: NamedType | undefined,
  schema: Schema,
): readonly OutputField[] {
  return (selectionSet?.selections ?? []).flatMap((selection) => fieldsOfSelection(selection, type, schema));
}

function fieldsOfSelection(
  selection: SelectionNode,
  type: NamedType | undefined,
  schema: Schema,
): readonly OutputField[] {
  if (selection.kind === Kind.FRAGMENT_SPREAD) return []; // a field set has no fragment definitions
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    const condition = selection.typeCondition?.name.value;
    return fieldsSelected(
      selection.selectionSet,
      condition === undefined ? type : schema.type(condition),
      schema,
    );
  }
  const field = fieldOf(type, selection.name.value);
  if (!field) return [];
  return [
    field,
    ...fieldsSelected(selection.selectionSet, field.type && federationInternals.baseType(field.type), schema),
  ];
}

function fieldOf(type: NamedType | undefined, name: string): OutputField | undefined {
  return type instanceof federationInternals.ObjectType || type instanceof federationInternals.InterfaceType
    ? type.field(name)
    : undefined;
}
