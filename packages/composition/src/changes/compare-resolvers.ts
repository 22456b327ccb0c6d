import { changeOf, type Change } from './change.ts';
import type { ChangeCode } from './change-kinds.ts';
import type { FieldInSubgraph, GraphStructure } from './graph-structure.ts';

/** Compares which subgraphs resolve the fields that exist before and after, and by what. */
export function compareFieldResolvers(before: GraphStructure, after: GraphStructure): readonly Change[] {
  const subscription = after.roots.get('subscription') ?? 'Subscription';
  return [...before.fields].flatMap(([coordinate, was]) => {
    const is = after.fields.get(coordinate);
    if (!is) return [];
    const isSubscription = coordinate.startsWith(`${subscription}.`);
    return [
      ...comparePlaces(coordinate, [...was.keys()], [...is.keys()], isSubscription),
      ...[...is].flatMap(([subgraph, field]) => compareField(coordinate, subgraph, was.get(subgraph), field)),
      ...removedOverrides(coordinate, was, is),
    ];
  });
}

function comparePlaces(
  coordinate: string,
  was: readonly string[],
  is: readonly string[],
  isSubscription: boolean,
): readonly Change[] {
  const removed = was.filter((name) => !is.includes(name));
  const added = is.filter((name) => !was.includes(name));
  if (removed.length > 0 && removed.length === was.length && added.length > 0) {
    const message = `${coordinate} is resolved by ${is.join(' and ')} now; it was by ${was.join(' and ')}.`;
    return [changeOf(isSubscription ? 'SUBSCRIPTION_MOVED' : 'FIELD_MOVED', coordinate, message)];
  }
  return [
    ...added.map((name) => changeOf('RESOLVER_ADDED', coordinate, `${name} resolves ${coordinate} as well.`)),
    ...removed.map((name) =>
      changeOf('RESOLVER_REMOVED', coordinate, `${name} does not resolve ${coordinate} any more.`),
    ),
  ];
}

const texts: readonly (readonly [keyof FieldInSubgraph, string, ChangeCode])[] = [
  ['requires', '@requires', 'REQUIRES_CHANGED'],
  ['provides', '@provides', 'PROVIDES_CHANGED'],
  ['context', '@fromContext', 'CONTEXT_CHANGED'],
];

/** @param was undefined where the subgraph did not resolve the field */
function compareField(
  coordinate: string,
  subgraph: string,
  was: FieldInSubgraph | undefined,
  is: FieldInSubgraph,
): readonly Change[] {
  const compared = was
    ? texts
        .filter(([member]) => was[member] !== is[member])
        .map(([member, directive, code]) =>
          changeOf(
            code,
            coordinate,
            `${coordinate} in ${subgraph} has ${written(directive, is[member])} now; it had ${written(directive, was[member])}.`,
          ),
        )
    : [];
  return [...compared, ...compareOverride(coordinate, subgraph, was, is)];
}

function written(directive: string, text: string | undefined): string {
  return text === undefined ? `no ${directive}` : `${directive} "${text}"`;
}

function compareOverride(
  coordinate: string,
  subgraph: string,
  was: FieldInSubgraph | undefined,
  is: FieldInSubgraph,
): readonly Change[] {
  if (is.override === undefined) return [];
  if (was?.override === undefined) {
    const label = is.overrideLabel === undefined ? '' : ` with the label "${is.overrideLabel}"`;
    return [
      changeOf(
        'OVERRIDE_ADDED',
        coordinate,
        `${subgraph} takes ${coordinate} over from ${is.override}${label}.`,
      ),
    ];
  }
  if (was.overrideLabel === is.overrideLabel) return [];
  const message = `The @override of ${coordinate} in ${subgraph} has the label ${label(is)} now; it had ${label(was)}.`;
  return [changeOf('OVERRIDE_LABEL_CHANGED', coordinate, message)];
}

function label({ overrideLabel }: FieldInSubgraph): string {
  return overrideLabel === undefined ? 'none' : `"${overrideLabel}"`;
}

type Resolvers = ReadonlyMap<string, FieldInSubgraph>;

function removedOverrides(coordinate: string, was: Resolvers, is: Resolvers): readonly Change[] {
  return [...was]
    .filter(([subgraph, { override }]) => override !== undefined && is.get(subgraph)?.override === undefined)
    .map(([subgraph]) =>
      changeOf('OVERRIDE_REMOVED', coordinate, `The @override of ${coordinate} in ${subgraph} was removed.`),
    );
}
