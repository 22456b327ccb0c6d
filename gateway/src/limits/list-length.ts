import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  Kind,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type ValueNode,
} from 'graphql';
import { ownVariable, type Variables } from '../planning/variables.ts';
import type { Cost } from './cost-term.ts';
import type { CostSettings } from './cost-settings.ts';
import type { ListSize } from './graph-annotations.ts';

/** What {@link compileListLength} reads. */
export interface ListLengthRequest {
  readonly field: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly listSize: ListSize | undefined;
  readonly settings: CostSettings;
}

/**
 * How many elements a field is taken to return: the largest of its slicing arguments, from literals, variables and
 * defaults, at least 1. A slicing argument without a usable value counts as `assumedSize`, else as the settings'
 * `omittedSlice`. A field without slicing arguments counts as `assumedSize`, else as 1.
 */
export function compileListLength(request: ListLengthRequest): Cost {
  const { field, definition, listSize, settings } = request;
  const paths = slicingPaths(request);
  const assumed = listSize?.assumedSize ?? (paths.length > 0 ? settings.omittedSlice : 1);
  const readers = paths.map((path) => compileReader(field, definition, path));
  if (readers.every((reader) => reader.constant)) return longest(readers, {}, assumed);
  return (run) => longest(readers, run.variables, assumed);
}

function longest(readers: readonly SliceReader[], variables: Variables, assumed: number): number {
  let longestSlice: number | undefined;
  for (const reader of readers) {
    const slice = reader.read(variables);
    if (slice !== undefined && (longestSlice === undefined || slice > longestSlice)) longestSlice = slice;
  }
  return Math.max(1, longestSlice ?? assumed);
}

/** An argument of a field, and the input fields below it that lead to the number. */
type SlicingPath = readonly [argument: string, ...inputFields: string[]];

const MAX_INPUT_LEVELS = 3;

function slicingPaths({ definition, listSize, settings }: ListLengthRequest): readonly SlicingPath[] {
  const declared = listSize?.slicingArguments ?? [];
  if (declared.length > 0) return declared.map((path) => path.split('.') as [string, ...string[]]); // split gives one item at least
  if (listSize?.assumedSize !== undefined || !canBeLong(definition)) return [];
  return definition.args.flatMap((argument) => conventionalPaths(argument, settings, 1));
}

/** A number called `limit` on a field that returns one leaf means something else: `avatar(limit: 512)`. */
function canBeLong(definition: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(definition.type)) || !isLeafType(getNamedType(definition.type));
}

function conventionalPaths(
  input: GraphQLArgument | GraphQLInputField,
  settings: CostSettings,
  level: number,
): readonly SlicingPath[] {
  const type = getNullableType(input.type);
  if (isLeafType(type)) return settings.slicingArguments.includes(input.name) ? [[input.name]] : [];
  if (!isInputObjectType(type) || level > MAX_INPUT_LEVELS) return [];
  return Object.values(type.getFields()).flatMap((field) =>
    conventionalPaths(field, settings, level + 1).map((path): SlicingPath => [input.name, ...path]),
  );
}

interface SliceReader {
  /** Whether no variable matters. */
  readonly constant: boolean;
  /** The number that was asked for or is the default; undefined when there is none that is zero or more. */
  readonly read: (variables: Variables) => number | undefined;
}

function compileReader(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  path: SlicingPath,
): SliceReader {
  const fallback = defaultAt(definition, path);
  const value = field.arguments?.find((argument) => argument.name.value === path[0])?.value;
  const source = value && descendLiteral(value, path.slice(1));
  if (source?.node.kind !== Kind.VARIABLE) {
    const constant = usable(literalNumber(source?.node)) ?? fallback;
    return { constant: true, read: () => constant };
  }
  const { name } = source.node;
  const { rest } = source;
  return {
    constant: false,
    read: (variables) => usable(descend(ownVariable(variables, name.value), rest)) ?? fallback,
  };
}

interface LiteralSource {
  readonly node: ValueNode;
  /** The part of the path that lies within a variable's value. */
  readonly rest: readonly string[];
}

function descendLiteral(node: ValueNode, path: readonly string[]): LiteralSource | undefined {
  const [next, ...rest] = path;
  if (next === undefined || node.kind === Kind.VARIABLE) return { node, rest: path };
  if (node.kind !== Kind.OBJECT) return undefined;
  const member = node.fields.find((field) => field.name.value === next);
  return member && descendLiteral(member.value, rest);
}

function descend(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Readonly<Record<string, unknown>>)[name]; // an object with this own property
  }
  return current;
}

function literalNumber(node: ValueNode | undefined): unknown {
  return node?.kind === Kind.INT || node?.kind === Kind.FLOAT ? Number(node.value) : undefined;
}

function usable(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** The default of the argument, or of the input field that the path leads to. */
function defaultAt(definition: GraphQLField<unknown, unknown>, path: SlicingPath): number | undefined {
  const [name, ...rest] = path;
  const argument = definition.args.find((candidate) => candidate.name === name);
  const declared = usable(descend(argument?.defaultValue, rest));
  if (declared !== undefined) return declared;
  return argument && rest.length > 0 ? defaultOfInput(argument, rest) : undefined;
}

function defaultOfInput(
  input: GraphQLArgument | GraphQLInputField,
  path: readonly string[],
): number | undefined {
  const [name = '', ...rest] = path;
  const type = getNullableType(input.type);
  const field = isInputObjectType(type) ? type.getFields()[name] : undefined;
  if (!field) return undefined;
  return rest.length === 0 ? usable(field.defaultValue) : defaultOfInput(field, rest);
}
