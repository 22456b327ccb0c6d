import type { GraphQLInterfaceType, GraphQLObjectType, GraphQLUnionType } from 'graphql';
import { changeOf, type Change } from './change.ts';

/** Compares the members of a union. */
export function compareUnions(before: GraphQLUnionType, after: GraphQLUnionType): readonly Change[] {
  const { removed, added } = compareNames(before.getTypes(), after.getTypes());
  const { name } = before;
  return [
    ...removed.map((member) =>
      changeOf('TYPE_REMOVED_FROM_UNION', name, `${member} was removed from ${name}.`),
    ),
    ...added.map((member) => changeOf('TYPE_ADDED_TO_UNION', name, `${member} was added to ${name}.`)),
  ];
}

/** Compares the interfaces of a type. */
export function compareInterfaces(
  before: GraphQLObjectType | GraphQLInterfaceType,
  after: GraphQLObjectType | GraphQLInterfaceType,
): readonly Change[] {
  const { removed, added } = compareNames(before.getInterfaces(), after.getInterfaces());
  const { name } = before;
  return [
    ...removed.map((other) =>
      changeOf('IMPLEMENTED_INTERFACE_REMOVED', name, `${name} does not implement ${other} any more.`),
    ),
    ...added.map((other) =>
      changeOf('IMPLEMENTED_INTERFACE_ADDED', name, `${name} implements ${other} now.`, { uses: [other] }),
    ),
  ];
}

interface Named {
  readonly name: string;
}

function compareNames(
  before: readonly Named[],
  after: readonly Named[],
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const [former, latter] = [before.map(({ name }) => name), after.map(({ name }) => name)];
  return {
    removed: former.filter((name) => !latter.includes(name)),
    added: latter.filter((name) => !former.includes(name)),
  };
}
