import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import type { GraphMeaning } from '../changes/graph-meaning.ts';
import type { GraphStructure } from '../changes/graph-structure.ts';
import { openRootFields } from '../open-root-fields.ts';

/** A graph as rules look at it. */
export interface LintedGraph {
  readonly apiSchema: GraphQLSchema;
  readonly meaning: GraphMeaning;
  readonly structure: GraphStructure;
  /** Arguments that are taken for the length of a list, by the settings. */
  readonly slicingArguments: readonly string[];
}

/** What a rule objects to. */
export interface LintFinding {
  readonly coordinate: string;
  readonly message: string;
}

/** A rule that needs the whole graph. What one schema shows by itself is for composition and its checks. */
export interface LintRule {
  readonly code: string;
  /** What it finds; docs/changes.md shows it. */
  readonly finds: string;
  readonly action: string;
  readonly run: (graph: LintedGraph) => readonly LintFinding[];
}

/** Every rule. */
export const lintRules: readonly LintRule[] = [
  {
    code: 'UNPROTECTED_ROOT_FIELD',
    finds: 'A root field that is open to all, in a graph that protects others',
    action: 'Protect it by @authenticated or @requiresScopes, or approve it.',
    run: unprotectedRootFields,
  },
  {
    code: 'UNRESOLVED_KEY',
    finds: 'An entity that no subgraph finds by any key',
    action: 'Let the subgraph that owns it resolve its key.',
    run: unresolvedKeys,
  },
  {
    code: 'UNBOUNDED_LIST',
    finds: 'A list of objects that nothing bounds: neither a slicing argument nor @listSize',
    action: 'Add an argument such as first, or a @listSize.',
    run: unboundedLists,
  },
];

function unprotectedRootFields(graph: LintedGraph): readonly LintFinding[] {
  if (graph.meaning.rights.size === 0) return [];
  return openRootFields(graph).map((coordinate) => ({
    coordinate,
    message: `${coordinate} is open to callers without a token.`,
  }));
}

function unresolvedKeys({ structure }: LintedGraph): readonly LintFinding[] {
  return [...structure.types].flatMap(([coordinate, subgraphs]) => {
    const keys = [...subgraphs.values()].flatMap((type) => [...type.keys.values()]);
    if (keys.length === 0 || keys.some(Boolean)) return [];
    const names = [...subgraphs.keys()].join(' and ');
    return [{ coordinate, message: `${coordinate} has keys in ${names}, and none of them is resolvable.` }];
  });
}

function unboundedLists(graph: LintedGraph): readonly LintFinding[] {
  return Object.values(graph.apiSchema.getTypeMap())
    .filter((type) => !type.name.startsWith('__'))
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => isUnbounded(`${type.name}.${field.name}`, field, graph))
        .filter(() => !isSizedFromAbove(type.name))
        .map((field) => `${type.name}.${field.name}`),
    )
    .map((coordinate) => ({ coordinate, message: `Nothing bounds the list ${coordinate}.` }));
}

function isUnbounded(
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
  { meaning, slicingArguments }: LintedGraph,
): boolean {
  if (!isListType(getNullableType(field.type)) || !isCompositeType(getNamedType(field.type))) return false;
  if (meaning.listSizes.has(coordinate)) return false;
  return !field.args.some(({ name }) => slicingArguments.includes(name) || /ids?$/i.test(name));
}

/** The lists of a connection are as long as it was asked for. Relay Cursor Connections §2. */
function isSizedFromAbove(type: string): boolean {
  return type.endsWith('Connection');
}
