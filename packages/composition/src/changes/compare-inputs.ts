import type { GraphQLInputObjectType } from 'graphql';
import { changeOf, type Change } from './change.ts';
import { compareInputValue } from './compare-input-value.ts';

/** Compares an input with the one before. */
export function compareInputs(
  before: GraphQLInputObjectType,
  after: GraphQLInputObjectType,
): readonly Change[] {
  const { name: owner } = before;
  const former = new Map(Object.entries(before.getFields()));
  const latter = new Map(Object.entries(after.getFields()));
  const names = new Set([...former.keys(), ...latter.keys()]);
  return [
    ...compareOneOf(before, after),
    ...[...names].flatMap((name) =>
      compareInputValue(
        { kind: 'inputField', owner, coordinate: `${owner}.${name}` },
        former.get(name),
        latter.get(name),
      ),
    ),
  ];
}

function compareOneOf(
  { name, isOneOf: was }: GraphQLInputObjectType,
  { isOneOf: is }: GraphQLInputObjectType,
): readonly Change[] {
  if (was === is) return [];
  return is
    ? [
        changeOf('ONE_OF_ADDED', name, `${name} became @oneOf: it takes exactly one field now.`, {
          input: name,
        }),
      ]
    : [changeOf('ONE_OF_REMOVED', name, `${name} is not @oneOf any more.`)];
}
