import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';

/** A type, or a field of it. */
export interface SchemaPlace {
  readonly type: string;
  readonly field?: string | undefined;
}

const MAX_MATCHES = 60;

/** Finds types and fields by parts of their names and descriptions: names first, and of those the ones that begin so. */
export function searchSchema(schema: GraphQLSchema, text: string): readonly SchemaPlace[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const places = visibleTypes(schema).flatMap((type) => [
    { place: { type: type.name }, name: type.name, description: type.description },
    ...membersOf(type).map(({ name, description }) => ({
      place: { type: type.name, field: name },
      name: `${type.name}.${name}`,
      description,
    })),
  ]);
  return places
    .map((one) => ({ ...one, rank: rankOf(one, wanted) }))
    .filter(({ rank }) => rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MAX_MATCHES)
    .map(({ place }) => place);
}

interface Named {
  readonly name: string;
  readonly description?: string | null | undefined;
}

function rankOf({ name, description }: Named, wanted: string): number {
  const whole = name.toLowerCase();
  const own = whole.slice(whole.indexOf('.') + 1);
  if (own.startsWith(wanted)) return 0;
  if (whole.includes(wanted)) return 1;
  return (description ?? '').toLowerCase().includes(wanted) ? 2 : 3;
}

/** The types that clients write or read about: those of introspection are not. */
export function visibleTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Fields or values. */
export function membersOf(type: GraphQLNamedType): readonly Named[] {
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))
    return Object.values(type.getFields());
  return isEnumType(type) ? type.getValues() : [];
}
