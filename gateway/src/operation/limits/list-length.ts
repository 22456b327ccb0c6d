import { ownOf } from '@trellis/runtime/own-property';
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
  type GraphQLType,
  type ValueNode,
} from 'graphql';
import { ownVariable, type Variables } from '../document/decided-conditions.ts';
import type { Cost } from './cost-term.ts';
import { isConnection } from './field-annotations.ts';
import type { CostSettings } from '../../settings/cost.ts';

/** What {@link readListLength} reads. */
interface ListLengthRequest {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly listSize: ListSize | undefined;
  /** Names that the keys of what the field returns have: a list of such is a list of ids. */
  readonly keyNames: ReadonlySet<string>;
  readonly settings: CostSettings;
}

/** What decides how long a field is, whatever arguments it is given. */
export interface ListLength {
  readonly definition: GraphQLField<unknown, unknown>;
  /** Arguments that say how long it is. */
  readonly slices: readonly SlicingPath[];
  /** Arguments that are lists, of what has no stated size. */
  readonly bounds: readonly SlicingPath[];
  /** Where none of the slices says anything. */
  readonly assumed: number;
}

/** Reads from a schema what {@link compileListLength} goes by. */
export function readListLength(request: ListLengthRequest): ListLength {
  const { definition, listSize, settings } = request;
  const slices = slicingPaths(request);
  const assumed = listSize?.assumedSize ?? defaultLength(request, slices, settings);
  return { definition, slices, bounds: listsGiven(request), assumed };
}

/**
 * How many elements a field is taken to return: the largest of its slicing arguments, from literals, variables and
 * defaults, at least 1. Of an argument that is a list, its length counts: each id asks for an object.
 *
 * A slicing argument without a usable value counts as `assumedSize`, else as the settings' `omittedSlice`. A list without
 * slicing arguments counts as `assumedSize`, else as the settings' `listSize`. What has no stated size counts as its longest
 * argument that is a list, whatever that is called, where that is more. What is no list counts 1.
 */
export function compileListLength(
  field: FieldNode,
  { definition, slices, bounds, assumed }: ListLength,
): Cost {
  if (slices.length === 0 && bounds.length === 0) return Math.max(1, assumed);
  const sliceReaders = slices.map((path) => compileReader(field, definition, path));
  const boundReaders = bounds.map((path) => compileReader(field, definition, path));
  const lengthOf = (variables: Variables): number => {
    const unsliced = (): number => Math.max(assumed, largestOf(boundReaders, variables) ?? 0);
    return Math.max(1, largestOf(sliceReaders, variables) ?? unsliced());
  };
  return [...sliceReaders, ...boundReaders].every(({ constant }) => constant)
    ? lengthOf({})
    : ({ variables }) => lengthOf(variables);
}

function largestOf(readers: readonly SliceReader[], variables: Variables): number | undefined {
  let largest: number | undefined;
  for (const reader of readers) {
    const slice = reader.read(variables);
    if (slice !== undefined && (largest === undefined || slice > largest)) largest = slice;
  }
  return largest;
}

function defaultLength(
  { definition }: ListLengthRequest,
  slices: readonly SlicingPath[],
  { omittedSlice, listSize }: CostSettings,
): number {
  if (slices.length > 0) return omittedSlice;
  return isList(definition.type) ? listSize : 1;
}

/** An argument of a field, and the input fields below it that lead to the number or to the list. */
type SlicingPath = readonly [argument: string, ...inputFields: string[]];

const MAX_INPUT_LEVELS = 3;

function slicingPaths({
  definition,
  listSize,
  keyNames,
  settings,
}: ListLengthRequest): readonly SlicingPath[] {
  const declared = (listSize?.slicingArguments ?? []).map((path) => path.split('.') as [string, ...string[]]); // split gives one item at least
  if (!canBeLong(definition)) return declared;
  const isDeclared = declared.length > 0 || listSize?.assumedSize !== undefined;
  const isSlice = (name: string, isListed: boolean): boolean =>
    (isListed && keyNames.has(name.toLowerCase())) ||
    (!isDeclared && settings.slicingArguments.includes(name));
  return [...declared, ...definition.args.flatMap((argument) => pathsTo(argument, isSlice, 1))];
}

/** Of a list or a connection without a stated size: its arguments that are lists. */
function listsGiven({ definition, listSize }: ListLengthRequest): readonly SlicingPath[] {
  if (listSize || !(isList(definition.type) || isConnection(getNamedType(definition.type)))) return [];
  return definition.args.flatMap((argument) => pathsTo(argument, (_name, isListed) => isListed, 1));
}

/** A number called `limit` on a field that returns one leaf means something else: `avatar(limit: 512)`. */
function canBeLong(definition: GraphQLField<unknown, unknown>): boolean {
  return isList(definition.type) || !isLeafType(getNamedType(definition.type));
}

/** Whether a type is a list, null or not. */
export function isList(type: GraphQLType): boolean {
  return isListType(getNullableType(type));
}

/** @param isWanted of the name of an input that is a leaf or a list, and whether it is a list */
function pathsTo(
  input: GraphQLArgument | GraphQLInputField,
  isWanted: (name: string, isListed: boolean) => boolean,
  level: number,
): readonly SlicingPath[] {
  const type = getNullableType(input.type);
  if (isLeafType(type) || isListType(type))
    return isWanted(input.name, isListType(type)) ? [[input.name]] : [];
  if (!isInputObjectType(type) || level > MAX_INPUT_LEVELS) return [];
  return Object.values(type.getFields()).flatMap((field) =>
    pathsTo(field, isWanted, level + 1).map((path): SlicingPath => [input.name, ...path]),
  );
}

/** A variable that says how long a list is. */
export interface SizingVariable {
  readonly name: string;
  /** Input fields within its value that lead to the number or to the list. */
  readonly rest: readonly string[];
}

/** The variables that decide how long a field is. */
export function sizingVariables(field: FieldNode, { slices, bounds }: ListLength): readonly SizingVariable[] {
  return [...slices, ...bounds].flatMap((path) => {
    const value = field.arguments?.find((argument) => argument.name.value === path[0])?.value;
    const source = value && descendLiteral(value, path.slice(1));
    if (source?.node.kind !== Kind.VARIABLE) return [];
    return { name: source.node.name.value, rest: source.rest };
  });
}

/** What a variable says of the length; undefined where it says nothing. */
export function givenSize({ name, rest }: SizingVariable, variables: Variables): number | undefined {
  return usable(descend(ownVariable(variables, name), rest));
}

/** What a literal says of the length. */
export function literalLength(node: ValueNode): number | undefined {
  return usable(literalSize(node));
}

interface SliceReader {
  /** Whether no variable matters. */
  readonly constant: boolean;
  /** The number or the length that was asked for or is the default; undefined when there is none. */
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
    const constant = usable(literalSize(source?.node)) ?? fallback;
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
  return path.reduce(ownOf, value);
}

function literalSize(node: ValueNode | undefined): unknown {
  if (node?.kind === Kind.LIST) return node.values;
  return node?.kind === Kind.INT || node?.kind === Kind.FLOAT ? Number(node.value) : undefined;
}

/** The number, or the length of the list. */
function usable(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
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

/** What `@listSize` says of a field. Cost specification: List size. */
export interface ListSize {
  readonly assumedSize: number | undefined;
  /** Arguments that bound the list; dots lead into input objects: `page.first`. */
  readonly slicingArguments: readonly string[];
  /** Fields below that are the lists, where this one is not; empty when this one is. */
  readonly sizedFields: readonly string[];
}
