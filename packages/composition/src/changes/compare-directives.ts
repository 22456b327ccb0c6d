import {
  DirectiveLocation,
  isRequiredArgument,
  type DirectiveLocation as Location,
  type GraphQLArgument,
  type GraphQLDirective,
  type GraphQLSchema,
} from 'graphql';
import { changeOf, type Change } from './change.ts';

/** Places in operations. What stands in schemas alone is nothing that clients write. */
const EXECUTABLE: ReadonlySet<Location> = new Set<Location>([
  DirectiveLocation.QUERY,
  DirectiveLocation.MUTATION,
  DirectiveLocation.SUBSCRIPTION,
  DirectiveLocation.FIELD,
  DirectiveLocation.FRAGMENT_DEFINITION,
  DirectiveLocation.FRAGMENT_SPREAD,
  DirectiveLocation.INLINE_FRAGMENT,
  DirectiveLocation.VARIABLE_DEFINITION,
]);

/** Compares the directives that operations may have. */
export function compareDirectives(before: GraphQLSchema, after: GraphQLSchema): readonly Change[] {
  const [former, latter] = [executableOf(before), executableOf(after)];
  const added = [...latter.keys()].filter((name) => !former.has(name));
  return [
    ...[...former.values()].flatMap((directive) => compareDirective(directive, latter.get(directive.name))),
    ...added.map((name) => changeOf('DIRECTIVE_ADDED', `@${name}`, `@${name} was added.`)),
  ];
}

function executableOf(schema: GraphQLSchema): ReadonlyMap<string, GraphQLDirective> {
  const executable = schema.getDirectives().filter((directive) => locationsOf(directive).length > 0);
  return new Map(executable.map((directive) => [directive.name, directive]));
}

function locationsOf({ locations }: GraphQLDirective): readonly Location[] {
  return locations.filter((location) => EXECUTABLE.has(location));
}

function compareDirective(before: GraphQLDirective, after: GraphQLDirective | undefined): readonly Change[] {
  const coordinate = `@${before.name}`;
  if (!after) return [changeOf('DIRECTIVE_REMOVED', coordinate, `${coordinate} was removed.`)];
  const lost = before.isRepeatable && !after.isRepeatable;
  return [
    ...(lost
      ? [changeOf('DIRECTIVE_REPEATABLE_REMOVED', coordinate, `${coordinate} may not be repeated any more.`)]
      : []),
    ...compareLocations(coordinate, locationsOf(before), locationsOf(after)),
    ...before.args
      .filter(({ name }) => !argumentOf(after, name))
      .map(({ name }) => removedArgument(coordinate, name)),
    ...after.args
      .filter(({ name }) => !argumentOf(before, name))
      .map((argument) => addedArgument(coordinate, argument)),
  ];
}

function argumentOf({ args }: GraphQLDirective, name: string): GraphQLArgument | undefined {
  return args.find((argument) => argument.name === name);
}

function compareLocations(
  coordinate: string,
  before: readonly Location[],
  after: readonly Location[],
): readonly Change[] {
  const removed = before.filter((location) => !after.includes(location));
  const added = after.filter((location) => !before.includes(location));
  return [
    ...removed.map((location) =>
      changeOf(
        'DIRECTIVE_LOCATION_REMOVED',
        coordinate,
        `${coordinate} may not stand on ${location} any more.`,
      ),
    ),
    ...added.map((location) =>
      changeOf('DIRECTIVE_LOCATION_ADDED', coordinate, `${coordinate} may stand on ${location} now.`),
    ),
  ];
}

function removedArgument(directive: string, name: string): Change {
  const coordinate = `${directive}(${name}:)`;
  return changeOf('DIRECTIVE_ARG_REMOVED', coordinate, `${coordinate} was removed.`);
}

function addedArgument(directive: string, argument: GraphQLArgument): Change {
  const coordinate = `${directive}(${argument.name}:)`;
  return isRequiredArgument(argument)
    ? changeOf('REQUIRED_DIRECTIVE_ARG_ADDED', coordinate, `${coordinate} was added, and is required.`, {
        uses: [directive],
      })
    : changeOf('OPTIONAL_DIRECTIVE_ARG_ADDED', coordinate, `${coordinate} was added.`);
}
