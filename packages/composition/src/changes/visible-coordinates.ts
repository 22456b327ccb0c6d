import { own } from '@trellis/runtime/own-property';
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, type GraphQLSchema } from 'graphql';

/** The fields of object types and interfaces that clients see before and after, by type. */
export function fieldsOfBoth(
  before: GraphQLSchema,
  after: GraphQLSchema,
): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  for (const type of Object.values(before.getTypeMap())) {
    if (type.name.startsWith('__') || !(isObjectType(type) || isInterfaceType(type))) continue;
    const latter = after.getType(type.name);
    if (!isObjectType(latter) && !isInterfaceType(latter)) continue;
    const names = new Set(Object.keys(latter.getFields()));
    fields.set(
      type.name,
      Object.keys(type.getFields()).filter((name) => names.has(name)),
    );
  }
  return fields;
}

/** Whether clients see what a coordinate names: `Type`, `Type.member` or `Type.field(argument:)`. */
export function isVisible(schema: GraphQLSchema, coordinate: string): boolean {
  const [, typeName = '', member, argument] = /^(\w+)(?:\.(\w+))?(?:\((\w+):\))?$/.exec(coordinate) ?? [];
  const type = typeName.startsWith('__') ? undefined : schema.getType(typeName);
  if (!type || member === undefined) return type !== undefined;
  if (isEnumType(type)) return Boolean(type.getValue(member));
  if (isInputObjectType(type)) return Object.hasOwn(type.getFields(), member);
  if (!isObjectType(type) && !isInterfaceType(type)) return false;
  const field = own(type.getFields(), member);
  return field !== undefined && (argument === undefined || field.args.some(({ name }) => name === argument));
}
