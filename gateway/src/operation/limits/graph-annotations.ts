import type { ObjectType, Schema } from '@apollo/federation-internals';
import { appliedArguments, linkedDirectives, type Annotated } from '../../supergraph/linked-directives.ts';
import type { Supergraph } from '../../supergraph/supergraph.ts';
import type { ListSize } from './list-length.ts';
import type { DepthAllowances } from './depth.ts';
import { federationInternals } from '../../supergraph/apollo-packages.ts';

/** What the subgraph teams wrote into their schemas about cost and depth, by coordinate: `Post`, `Post.comments`, `Query.posts(first:)`. */
export interface GraphAnnotations {
  readonly weights: ReadonlyMap<string, number>;
  readonly listSizes: ReadonlyMap<string, ListSize>;
  readonly depthAllowances: DepthAllowances;
  /** Fields that are a key on their own, by type. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** Whether any argument or input field has a weight: otherwise arguments need not be looked at for it. */
  readonly inputsHaveWeights: boolean;
}

const COST_IDENTITY = 'https://specs.apollo.dev/cost';

/** Reads `@cost`, `@listSize` and `@depthAllowance` from a supergraph, under whatever names they were imported. */
export function readGraphAnnotations(supergraph: Supergraph): GraphAnnotations {
  const schema = supergraph.supergraphSchema;
  const fields = schema.types().flatMap(outputFieldsOf);
  const inputs = [
    ...fields.flatMap((field) => field.arguments()),
    ...schema
      .types()
      .flatMap((type) => (type instanceof federationInternals.InputObjectType ? type.fields() : [])),
  ];
  const inputWeights = readWeights(schema, inputs);
  return {
    weights: new Map([...readWeights(schema, [...schema.types(), ...fields]), ...inputWeights]),
    listSizes: readListSizes(schema, fields),
    depthAllowances: readAllowances(schema, fields),
    keys: supergraph.entityKeys,
    inputsHaveWeights: inputWeights.size > 0,
  };
}

type Located = Annotated & { readonly coordinate: string };

function outputFieldsOf(type: unknown): ReturnType<ObjectType['fields']>[number][] {
  if (type instanceof federationInternals.ObjectType) return [...type.fields()];
  return type instanceof federationInternals.InterfaceType ? ([...type.fields()] as never[]) : []; // the same class, for another parent
}

function readWeights(schema: Schema, elements: readonly Located[]): Map<string, number> {
  const directives = linkedDirectives(schema, 'cost', COST_IDENTITY);
  return readEach(elements, (element) => numberOf(appliedArguments(element, directives)[0]?.['weight']));
}

function readAllowances(schema: Schema, fields: readonly Located[]): Map<string, number> {
  const directives = linkedDirectives(schema, 'depthAllowance');
  return readEach(fields, (field) => numberOf(appliedArguments(field, directives)[0]?.['extra']));
}

function readListSizes(schema: Schema, fields: readonly Located[]): Map<string, ListSize> {
  const directives = linkedDirectives(schema, 'listSize', COST_IDENTITY);
  return readEach(fields, (field) => {
    const [values] = appliedArguments(field, directives);
    if (!values) return undefined;
    return {
      assumedSize: numberOf(values['assumedSize']),
      slicingArguments: stringsOf(values['slicingArguments']),
      sizedFields: stringsOf(values['sizedFields']),
    };
  });
}

function readEach<Value>(
  elements: readonly Located[],
  read: (element: Located) => Value | undefined,
): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const element of elements) {
    const value = read(element);
    if (value !== undefined) found.set(element.coordinate, value);
  }
  return found;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
