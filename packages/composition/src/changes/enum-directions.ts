import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type GraphQLSchema,
} from 'graphql';

/** Names of the enums that clients receive, and of those that they send. */
export interface EnumDirections {
  readonly received: ReadonlySet<string>;
  readonly sent: ReadonlySet<string>;
}

/** Reads from the fields, arguments and inputs of a schema which way its enums go. */
export function enumDirections(schema: GraphQLSchema): EnumDirections {
  const received = new Set<string>();
  const sent = new Set<string>();
  const note = (
    names: Set<string>,
    { type }: { readonly type: Parameters<typeof getNamedType>[0] },
  ): void => {
    const named = getNamedType(type);
    if (isEnumType(named)) names.add(named.name);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) note(sent, field);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      note(received, field);
      for (const argument of field.args) note(sent, argument);
    }
  }
  for (const { args } of schema.getDirectives()) for (const argument of args) note(sent, argument);
  return { received, sent };
}
