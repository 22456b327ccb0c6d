import {
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

/**
 * Coordinates of arguments and input fields that lost their default and with it became required, under an unchanged
 * type. graphql-js calls this dangerous for arguments and does not see it for input fields; it breaks every client that
 * relies on the default.
 */
export function findNewlyRequired(before: GraphQLSchema, after: GraphQLSchema): readonly string[] {
  return Object.values(after.getTypeMap()).flatMap((type) => {
    const old = before.getType(type.name);
    if (isInputObjectType(type) && isInputObjectType(old)) return requiredInputFields(old, type);
    if ((isObjectType(type) || isInterfaceType(type)) && (isObjectType(old) || isInterfaceType(old)))
      return requiredArguments(old, type);
    return [];
  });
}

function requiredInputFields(
  before: GraphQLInputObjectType,
  after: GraphQLInputObjectType,
): readonly string[] {
  const old = before.getFields();
  return Object.values(after.getFields())
    .filter((field) => isRequiredInputField(field))
    .filter(({ name, type }) => old[name] && !isRequiredInputField(old[name]) && sameType(old[name], type))
    .map(({ name }) => `${after.name}.${name}`);
}

type WithFields = GraphQLObjectType | GraphQLInterfaceType;

function requiredArguments(before: WithFields, after: WithFields): readonly string[] {
  const old = before.getFields();
  return Object.values(after.getFields()).flatMap((field) =>
    field.args
      .filter((argument) => becameRequired(old[field.name], argument))
      .map(({ name }) => `${after.name}.${field.name}(${name}:)`),
  );
}

function becameRequired(before: GraphQLField<unknown, unknown> | undefined, after: GraphQLArgument): boolean {
  const old = before?.args.find(({ name }) => name === after.name);
  return (
    old !== undefined && isRequiredArgument(after) && !isRequiredArgument(old) && sameType(old, after.type)
  );
}

/** A changed type is reported as such already. */
function sameType(before: { readonly type: unknown }, after: unknown): boolean {
  return String(before.type) === String(after);
}
