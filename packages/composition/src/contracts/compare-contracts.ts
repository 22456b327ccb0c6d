import type { GraphQLSchema } from 'graphql';
import { changeOf, type Change } from '../changes/change.ts';
import { compareShapes } from '../changes/compare-shapes.ts';
import type { ContractRules } from './contract-rules.ts';
import { contractSchema, type Tags } from './contract-schema.ts';

/** A graph that contracts show a part of. */
export interface TaggedGraph {
  readonly apiSchema: GraphQLSchema;
  readonly tags: Tags;
}

/** A contract before and after: its clients stay, its tags may be others. */
export interface ContractChange {
  readonly before: ContractRules;
  readonly after: ContractRules;
}

/** What clients of each contract notice, beside what those of the whole graph do. */
export function compareContracts(
  before: TaggedGraph,
  after: TaggedGraph,
  contracts: readonly ContractChange[],
  ofGraph: readonly Change[],
): readonly Change[] {
  const known = new Set(ofGraph.map(({ code, coordinate }) => `${code} ${coordinate}`));
  return contracts.flatMap((contract) =>
    compareContract(before, after, contract)
      .filter(({ code, coordinate }) => !known.has(`${code} ${coordinate}`))
      .map((change) => ({ ...change, contract: contract.after.name })),
  );
}

function compareContract(
  before: TaggedGraph,
  after: TaggedGraph,
  contract: ContractChange,
): readonly Change[] {
  const was = contractSchema(before.apiSchema, before.tags, contract.before);
  const is = contractSchema(after.apiSchema, after.tags, contract.after);
  if (was && is) return compareShapes(was, is);
  if (!was) return [];
  const query = before.apiSchema.getQueryType()?.name ?? 'Query';
  return [changeOf('TYPE_REMOVED', query, `No query is left in ${contract.after.name}.`)];
}
