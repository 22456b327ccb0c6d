import { own } from '@trellis/runtime/own-property';
import type { GraphQLField, GraphQLInterfaceType, GraphQLObjectType } from 'graphql';
import { changeOf, type Change } from './change.ts';
import { compareInputValue } from './compare-input-value.ts';
import { compareTypes } from './compare-types.ts';

type WithFields = GraphQLObjectType | GraphQLInterfaceType;
type Field = GraphQLField<unknown, unknown>;

/** Compares the fields of a type that is of one kind before and after. */
export function compareFields(before: WithFields, after: WithFields): readonly Change[] {
  const [former, latter] = [before.getFields(), after.getFields()];
  const added = Object.values(latter).filter(({ name }) => !Object.hasOwn(former, name));
  return [
    ...Object.values(former).flatMap((field) => compareField(before.name, field, own(latter, field.name))),
    ...added.map(({ name }) => addedField(`${before.name}.${name}`)),
  ];
}

function addedField(coordinate: string): Change {
  return changeOf('FIELD_ADDED', coordinate, `${coordinate} was added.`);
}

function compareField(type: string, before: Field, after: Field | undefined): readonly Change[] {
  const coordinate = `${type}.${before.name}`;
  if (!after) return [changeOf('FIELD_REMOVED', coordinate, `${coordinate} was removed.`)];
  return [
    ...compareReturnedType(coordinate, before, after),
    ...compareDeprecation(coordinate, before, after),
    ...compareArguments(coordinate, before, after),
  ];
}

function compareReturnedType(coordinate: string, before: Field, after: Field): readonly Change[] {
  const types = `${String(before.type)} to ${String(after.type)}`;
  switch (compareTypes(before.type, after.type)) {
    case 'same':
      return [];
    case 'less-null':
      return [changeOf('FIELD_BECAME_NON_NULL', coordinate, `${coordinate} changed type from ${types}.`)];
    case 'more-null':
      return [
        changeOf(
          'FIELD_BECAME_NULLABLE',
          coordinate,
          `${coordinate} changed type from ${types}: it may be null.`,
        ),
      ];
    default:
      return [changeOf('FIELD_CHANGED_KIND', coordinate, `${coordinate} changed type from ${types}.`)];
  }
}

function compareDeprecation(coordinate: string, before: Field, after: Field): readonly Change[] {
  const [was, is] = [isDeprecated(before), isDeprecated(after)];
  if (was === is) return [];
  return is
    ? [
        changeOf(
          'FIELD_DEPRECATED',
          coordinate,
          `${coordinate} was deprecated: ${after.deprecationReason ?? ''}.`,
        ),
      ]
    : [changeOf('FIELD_NO_LONGER_DEPRECATED', coordinate, `${coordinate} is not deprecated any more.`)];
}

function isDeprecated({ deprecationReason }: Field): boolean {
  return typeof deprecationReason === 'string';
}

function compareArguments(field: string, before: Field, after: Field): readonly Change[] {
  const former = new Map(before.args.map((argument) => [argument.name, argument]));
  const latter = new Map(after.args.map((argument) => [argument.name, argument]));
  const names = new Set([...former.keys(), ...latter.keys()]);
  return [...names].flatMap((name) =>
    compareInputValue(
      { kind: 'argument', owner: field, coordinate: `${field}(${name}:)` },
      former.get(name),
      latter.get(name),
    ),
  );
}
