import { changeOf, type Change } from './change.ts';
import { compareFieldResolvers } from './compare-resolvers.ts';
import type { GraphStructure, TypeInSubgraph } from './graph-structure.ts';

/** Compares which subgraph resolves what, how entities are found, tags, and where subgraphs are asked. */
export function compareStructures(before: GraphStructure, after: GraphStructure): readonly Change[] {
  return [
    ...compareSubgraphs(before.subgraphs, after.subgraphs),
    ...compareEntities(before, after),
    ...compareFieldResolvers(before, after),
    ...compareTags(before, after),
  ];
}

function compareSubgraphs(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === is) return [];
    if (was === undefined) return [changeOf('SUBGRAPH_ADDED', name, `The subgraph ${name} was added.`)];
    if (is === undefined) return [changeOf('SUBGRAPH_REMOVED', name, `The subgraph ${name} was removed.`)];
    const isInsecure = was.startsWith('https:') && is.startsWith('http:');
    const message = `${name} is asked at ${is} now; it was at ${was}.`;
    return [changeOf(isInsecure ? 'ROUTING_URL_INSECURE' : 'ROUTING_URL_CHANGED', name, message)];
  });
}

function compareEntities(before: GraphStructure, after: GraphStructure): readonly Change[] {
  return [...before.types].flatMap(([type, subgraphs]) =>
    [...subgraphs].flatMap(([subgraph, was]) => {
      const is = after.types.get(type)?.get(subgraph);
      return is ? compareEntity(type, subgraph, was, is) : [];
    }),
  );
}

function compareEntity(
  type: string,
  subgraph: string,
  was: TypeInSubgraph,
  is: TypeInSubgraph,
): readonly Change[] {
  const keys = [...new Set([...was.keys.keys(), ...is.keys.keys()])];
  return [
    ...keys.flatMap((key) =>
      compareKey(type, `${type} in ${subgraph} by "${key}"`, was.keys.get(key), is.keys.get(key)),
    ),
    ...(was.isInterfaceObject === is.isInterfaceObject
      ? []
      : [
          changeOf(
            'INTERFACE_OBJECT_CHANGED',
            type,
            `${subgraph} takes ${type} for ${is.isInterfaceObject ? 'an object: @interfaceObject was added' : 'an interface: @interfaceObject was removed'}.`,
          ),
        ]),
  ];
}

/** @param was whether it is resolvable; undefined: there was none */
function compareKey(
  type: string,
  place: string,
  was: boolean | undefined,
  is: boolean | undefined,
): readonly Change[] {
  if (was === is) return [];
  if (was === undefined) return [changeOf('KEY_ADDED', type, `A @key was added: ${place}.`)];
  if (is === undefined) return [changeOf('KEY_REMOVED', type, `A @key was removed: ${place}.`)];
  const message = `A @key is ${is ? '' : 'not '}resolvable now: ${place}.`;
  return [changeOf('KEY_RESOLVABLE_CHANGED', type, message)];
}

function compareTags(before: GraphStructure, after: GraphStructure): readonly Change[] {
  const coordinates = [...new Set([...before.tags.keys(), ...after.tags.keys()])];
  return coordinates
    .filter((coordinate) => existsInBoth(coordinate, before, after))
    .flatMap((coordinate) => {
      const [was, is] = [before.tags.get(coordinate), after.tags.get(coordinate)];
      const added = [...(is ?? [])].filter((tag) => !was?.has(tag));
      const removed = [...(was ?? [])].filter((tag) => !is?.has(tag));
      return [
        ...added.map((tag) => changeOf('TAG_ADDED', coordinate, `${coordinate} is tagged "${tag}" now.`)),
        ...removed.map((tag) =>
          changeOf('TAG_REMOVED', coordinate, `${coordinate} is not tagged "${tag}" any more.`),
        ),
      ];
    });
}

function existsInBoth(coordinate: string, before: GraphStructure, after: GraphStructure): boolean {
  const [, type = ''] = /^(\w+)/.exec(coordinate) ?? [];
  if (!before.types.has(type) || !after.types.has(type)) return false;
  const [, field] = /^(\w+\.\w+)/.exec(coordinate) ?? [];
  if (field === undefined) return true;
  return before.fields.has(field) === after.fields.has(field);
}
