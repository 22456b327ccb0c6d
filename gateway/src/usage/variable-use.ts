import {
  isEnumType,
  isInputObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLNamedType,
  type TypeNode,
} from 'graphql';
import { givenSize, sizingVariables, type SizingVariable } from '../operation/limits/list-length.ts';
import { readGraphAnnotations } from '../operation/limits/graph-annotations.ts';
import { GraphCosts } from '../operation/limits/graph-costs.ts';
import type { Operation } from '../operation/operation.ts';
import type { AdmittedOperation } from '../pipeline/admitted-operation.ts';
import type { CostSettings } from '../settings/cost.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { InputReaders, type InputReader, type ValueBudget } from './input-readers.ts';

/** Coordinates of one operation; with more, they are not recorded. */
const MAX_INPUTS = 1_000;
/** Values of one request that are looked at; with more, the inputs of its operation are not recorded. */
const MAX_VALUES = 10_000;
/** Choices of variables that were given; with more, sizes are not recorded. */
const MAX_ROWS = 8;
/** No length is negative. */
const NOT_GIVEN = -1;

/** A variable that sizes a list, by the key under which its size is recorded: `first`, `page.first`. */
export interface NamedSize extends SizingVariable {
  readonly key: string;
}

/**
 * The variables of a document that decide how long lists are, each once. Undefined where lists are not all that decides what an
 * operation costs.
 */
export function namedSizes(document: DocumentNode, costs: GraphCosts): readonly NamedSize[] | undefined {
  if (costs.annotations.inputsHaveWeights) return undefined;
  const found = new Map<string, NamedSize>();
  const types = new TypeInfo(costs.schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: (field) => {
        const [parent, definition] = [types.getParentType(), types.getFieldDef()];
        if (!parent || !definition || definition.name.startsWith('__')) return;
        for (const { length } of costs.of(parent, definition).sizes)
          for (const variable of sizingVariables(field, length)) {
            const key = [variable.name, ...variable.rest].join('.');
            found.set(key, { ...variable, key });
          }
      },
    }),
  );
  return [...found.values()];
}

/** What is read of the variables of an operation: a function of its text and its graph. */
export interface VariableReader {
  /** Of variables that may hold input objects and enum values. */
  readonly inputs: readonly { readonly name: string; readonly reader: InputReader }[];
  /** Undefined where more than lengths decides what the operation costs. */
  readonly sizes: readonly NamedSize[] | undefined;
  /** What its defaults hold: they are no part of the recorded document. */
  readonly defaults: ReadonlySet<string>;
}

const NO_VARIABLES: VariableReader = { inputs: [], sizes: [], defaults: new Set() };

/** How the variables of a graph's operations are read. */
export class VariableReaders {
  readonly costs: GraphCosts;
  readonly #inputs = new InputReaders();
  readonly #readers = new WeakMap<Operation, VariableReader>();

  constructor(supergraph: Supergraph, settings: CostSettings) {
    const { schema } = supergraph;
    this.costs = new GraphCosts({ schema, annotations: readGraphAnnotations(supergraph), settings });
  }

  /** Made when an operation is first sent, and used while that is stored. */
  of(operation: Operation): VariableReader {
    if (!operation.definition.variableDefinitions?.length) return NO_VARIABLES;
    let reader = this.#readers.get(operation);
    if (!reader) this.#readers.set(operation, (reader = this.#read(operation)));
    return reader;
  }

  #read({ definition, fragments }: Operation): VariableReader {
    const { costs } = this;
    const defaults = new Set<string>();
    const inputs = (definition.variableDefinitions ?? []).flatMap(({ variable, type, defaultValue }) => {
      const named = costs.schema.getType(nameOf(type));
      if (!named || !mayHoldInputs(named)) return [];
      const reader = this.#inputs.of(named);
      if (defaultValue) reader.readLiteral(defaultValue, defaults);
      return { name: variable.name.value, reader };
    });
    const document = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments.values()] } as const;
    return { inputs, sizes: namedSizes(document, costs), defaults };
  }
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}

function mayHoldInputs(type: GraphQLNamedType): boolean {
  return isInputObjectType(type) || isEnumType(type);
}

function namesOf(sizes: readonly NamedSize[] | undefined): string | undefined {
  return sizes?.map(({ key }) => key).join(' ');
}

/** What the variables of one operation have held in an interval: names that the schema gives, and lengths of lists. */
export class VariableUse {
  readonly #reader: VariableReader;
  readonly #inputs: Set<string>;
  /** The largest sizes, a row for each choice of variables that were given. */
  readonly #rows: number[][] = [];
  /** Of the request that is looked at. */
  readonly #lengths: number[] = [];
  readonly #budget: ValueBudget = { values: 0 };
  #isTooMuch = false;
  /** Whether other variables size lists since the settings, or the graph, have changed. */
  #isMixed = false;

  constructor(reader: VariableReader) {
    this.#reader = reader;
    this.#inputs = new Set(reader.defaults);
  }

  /** Input fields and enum values, by coordinate; undefined where there were too many to say. */
  get inputs(): ReadonlySet<string> | undefined {
    return this.#isTooMuch ? undefined : this.#inputs;
  }

  /**
   * The largest lengths that were asked for: a row for each choice of variables that were given, as others have defaults. Undefined
   * where there were too many choices, other variables size lists than before, or lengths do not say what the operation costs.
   */
  get slices(): readonly Readonly<Record<string, number>>[] | undefined {
    const { sizes } = this.#reader;
    if (!sizes || this.#isMixed || this.#rows.length > MAX_ROWS) return undefined;
    if (this.#rows.length === 0) return [{}];
    return this.#rows.map((row) =>
      Object.fromEntries(
        sizes
          .map(({ key }, index) => [key, row[index] ?? NOT_GIVEN] as const)
          .filter(([, size]) => size !== NOT_GIVEN),
      ),
    );
  }

  /** The operation is read so from now on. */
  meet({ sizes }: VariableReader): void {
    if (namesOf(sizes) !== namesOf(this.#reader.sizes)) this.#isMixed = true;
  }

  note({ givenVariables, variables }: AdmittedOperation): void {
    const { inputs, sizes } = this.#reader;
    if (inputs.length > 0 && !this.#isTooMuch) this.#noteInputs(givenVariables);
    if (!sizes || sizes.length === 0) return;
    for (const [index, size] of sizes.entries())
      this.#lengths[index] = givenSize(size, variables) ?? NOT_GIVEN;
    this.#noteLengths();
  }

  #noteLengths(): void {
    const lengths = this.#lengths;
    const row = this.#rows.find((one) => areSameGiven(one, lengths));
    if (row) raise(row, lengths);
    else if (this.#rows.length <= MAX_ROWS) this.#rows.push([...lengths]);
  }

  #noteInputs(given: Readonly<Record<string, unknown>>): void {
    const budget = this.#budget;
    budget.values = MAX_VALUES;
    for (const { name, reader } of this.#reader.inputs)
      if (Object.hasOwn(given, name)) reader.read(given[name], this.#inputs, budget);
    this.#isTooMuch = budget.values < 0 || this.#inputs.size > MAX_INPUTS;
    if (this.#isTooMuch) this.#inputs.clear();
  }
}

function areSameGiven(row: readonly number[], lengths: readonly number[]): boolean {
  return row.every((length, index) => (length === NOT_GIVEN) === (lengths[index] === NOT_GIVEN));
}

/** Leaves the larger of each two. */
function raise(row: number[], lengths: readonly number[]): void {
  for (const [index, length] of lengths.entries()) if (length > (row[index] ?? 0)) row[index] = length;
}
