import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { changeOf, type Change } from './change.ts';
import { compareDirectives } from './compare-directives.ts';
import { compareEnums } from './compare-enums.ts';
import { compareFields } from './compare-fields.ts';
import { compareInputs } from './compare-inputs.ts';
import { compareInterfaces, compareUnions } from './compare-possible-types.ts';
import { enumDirections, type EnumDirections } from './enum-directions.ts';

/** Compares what clients see before and after: two API schemas. Everything that differs is a change, but descriptions. */
export function compareShapes(before: GraphQLSchema, after: GraphQLSchema): readonly Change[] {
  const directions = { before: enumDirections(before), after: enumDirections(after) };
  const former = typesOf(before);
  const added = typesOf(after).filter(({ name }) => !before.getType(name));
  return [
    ...former.flatMap((type) => compareType(type, after.getType(type.name), directions)),
    ...added.map(({ name }) => changeOf('TYPE_ADDED', name, `${name} was added.`)),
    ...compareDirectives(before, after),
  ];
}

function typesOf(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  return Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  );
}

interface BothDirections {
  readonly before: EnumDirections;
  readonly after: EnumDirections;
}

function compareType(
  before: GraphQLNamedType,
  after: GraphQLNamedType | undefined,
  directions: BothDirections,
): readonly Change[] {
  const { name } = before;
  const input = isInputObjectType(before) || isEnumType(before) ? { input: name } : {};
  if (!after) return [changeOf('TYPE_REMOVED', name, `${name} was removed.`, input)];
  if (isObjectType(before) && isObjectType(after))
    return [...compareFields(before, after), ...compareInterfaces(before, after)];
  if (isInterfaceType(before) && isInterfaceType(after))
    return [...compareFields(before, after), ...compareInterfaces(before, after)];
  if (isInputObjectType(before) && isInputObjectType(after)) return compareInputs(before, after);
  if (isEnumType(before) && isEnumType(after))
    return compareEnums(
      before,
      after,
      directions.before.received.has(name) || directions.after.received.has(name),
      directions.before.sent.has(name),
    );
  if (isUnionType(before) && isUnionType(after)) return compareUnions(before, after);
  if (isScalarType(before) && isScalarType(after)) return compareScalars(before, after);
  return [
    changeOf('TYPE_CHANGED_KIND', name, `${name} became ${kindOf(after)}; it was ${kindOf(before)}.`, input),
  ];
}

function compareScalars(
  {
    name,
    specifiedByURL: before,
  }: { readonly name: string; readonly specifiedByURL?: string | null | undefined },
  { specifiedByURL: after }: { readonly specifiedByURL?: string | null | undefined },
): readonly Change[] {
  if ((before ?? undefined) === (after ?? undefined)) return [];
  const message = `${name} is specified by ${after ?? 'nothing'} now; it was by ${before ?? 'nothing'}.`;
  return [changeOf('SCALAR_SPECIFICATION_CHANGED', name, message)];
}

function kindOf(type: GraphQLNamedType): string {
  if (isObjectType(type)) return 'an object type';
  if (isInterfaceType(type)) return 'an interface';
  if (isUnionType(type)) return 'a union';
  if (isEnumType(type)) return 'an enum';
  return isInputObjectType(type) ? 'an input' : 'a scalar';
}
