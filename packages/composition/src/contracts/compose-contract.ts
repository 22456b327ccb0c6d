import type { GraphQLSchema } from 'graphql';
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLNamedType,
} from 'graphql';
import { apiSchemaOf, printApiSchema } from '../api-schema.ts';
import { SupergraphDocument } from '../changes/supergraph-document.ts';
import { ownCodes, type Diagnostic } from '../diagnostic.ts';
import type { ContractRules } from './contract-rules.ts';
import type { TaggedGraph } from './compare-contracts.ts';
import { contractSchema } from './contract-schema.ts';
import { hideElements } from './hide-elements.ts';

/** What became of composing a contract. */
export type ContractComposition =
  | {
      readonly kind: 'composed';
      readonly supergraphSdl: string;
      /** What its clients see, as text. */
      readonly apiSchema: string;
      /** Tags of the contract that no element has. */
      readonly hints: readonly Diagnostic[];
    }
  | { readonly kind: 'failed'; readonly errors: readonly Diagnostic[] };

/**
 * Composes the supergraph of a contract: the whole one, in which all that its clients do not see is `@inaccessible`. A gateway serves it
 * as any other.
 *
 * @param supergraphSdl of the whole graph, composed
 */
export function composeContract(supergraphSdl: string, rules: ContractRules): ContractComposition {
  return composeIn(readWhole(supergraphSdl), rules);
}

/** Composes several contracts of one graph, in their order. */
export function composeContracts(
  supergraphSdl: string,
  contracts: readonly ContractRules[],
): readonly ContractComposition[] {
  if (contracts.length === 0) return [];
  const whole = readWhole(supergraphSdl);
  return contracts.map((rules) => composeIn(whole, rules));
}

interface WholeGraph extends TaggedGraph {
  readonly supergraphSdl: string;
}

function readWhole(supergraphSdl: string): WholeGraph {
  const { tags } = new SupergraphDocument(supergraphSdl).structure;
  return { supergraphSdl, apiSchema: apiSchemaOf(supergraphSdl), tags };
}

function composeIn(
  { supergraphSdl, apiSchema, tags }: WholeGraph,
  rules: ContractRules,
): ContractComposition {
  const shown = contractSchema(apiSchema, tags, rules);
  if (!shown) return failed(rules, 'no query is left');
  const visible = coordinatesOf(shown);
  const hidden = [...coordinatesOf(apiSchema)].filter((coordinate) => !visible.has(coordinate));
  const contract = hideElements(supergraphSdl, new Set(hidden));
  try {
    const seen = printApiSchema(apiSchemaOf(contract));
    return { kind: 'composed', supergraphSdl: contract, apiSchema: seen, hints: unknownTags(tags, rules) };
  } catch (error) {
    return failed(rules, error instanceof Error ? error.message : String(error));
  }
}

function failed({ name }: ContractRules, reason: string): ContractComposition {
  const message = `The contract ${name} does not compose: ${reason}`;
  return { kind: 'failed', errors: [{ code: ownCodes.INVALID_CONTRACT, message, locations: [] }] };
}

/** Most are misspelled: an excluded one hides nothing then. */
function unknownTags(
  tags: TaggedGraph['tags'],
  { name, include, exclude }: ContractRules,
): readonly Diagnostic[] {
  const known = new Set([...tags.values()].flatMap((names) => [...names]));
  const unknown = [...new Set([...include, ...exclude])].filter((tag) => !known.has(tag));
  return unknown.map((tag) => ({
    code: ownCodes.UNKNOWN_TAG,
    message: `No element has the tag ${JSON.stringify(tag)} of the contract ${name}.`,
    locations: [],
  }));
}

/** Everything that `@inaccessible` can hide. Of a type that is hidden, what is in it need not be. */
function coordinatesOf(schema: GraphQLSchema): ReadonlySet<string> {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  return new Set(types.flatMap((type) => [type.name, ...membersOf(type)]));
}

function membersOf(type: GraphQLNamedType): readonly string[] {
  const member = (name: string): string => `${type.name}.${name}`;
  if (isEnumType(type)) return type.getValues().map(({ name }) => member(name));
  if (isInputObjectType(type)) return Object.keys(type.getFields()).map(member);
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, args }) => [
    member(name),
    ...args.map((argument) => `${member(name)}(${argument.name}:)`),
  ]);
}
