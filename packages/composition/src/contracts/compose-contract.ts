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
import { apiSchemaOf } from '../api-schema.ts';
import { readGraphStructure } from '../changes/graph-structure.ts';
import type { Composition } from '../compose-supergraph.ts';
import { ownCodes } from '../diagnostic.ts';
import type { ContractRules } from '../verdicts/approvals.ts';
import { contractSchema } from './contract-schema.ts';
import { hideElements } from './hide-elements.ts';

/**
 * Composes the supergraph of a contract: the whole one, in which all that its clients do not see is `@inaccessible`. A gateway serves it
 * as any other.
 *
 * @param supergraphSdl of the whole graph, composed
 */
export function composeContract(supergraphSdl: string, rules: ContractRules): Composition {
  const api = apiSchemaOf(supergraphSdl);
  const shown = contractSchema(api, readGraphStructure(supergraphSdl).tags, rules);
  if (!shown) return failed(rules, 'no query is left');
  const visible = coordinatesOf(shown);
  const hidden = [...coordinatesOf(api)].filter((coordinate) => !visible.has(coordinate));
  const contract = hideElements(supergraphSdl, new Set(hidden));
  try {
    apiSchemaOf(contract);
  } catch (error) {
    return failed(rules, error instanceof Error ? error.message : String(error));
  }
  return { kind: 'composed', supergraphSdl: contract, hints: [] };
}

function failed({ name }: ContractRules, reason: string): Composition {
  const message = `The contract ${name} does not compose: ${reason}`;
  return { kind: 'failed', errors: [{ code: ownCodes.INVALID_CONTRACT, message, locations: [] }] };
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
