import type { GraphQLSchema } from 'graphql';
import { changeOf, type Change } from '../changes/change.ts';
import { compareShapes } from '../changes/compare-shapes.ts';
import type { ContractRules } from '../verdicts/approvals.ts';
import { contractSchema, type Tags } from './contract-schema.ts';

/** A graph that contracts show a part of. */
export interface TaggedGraph {
  readonly apiSchema: GraphQLSchema;
  readonly tags: Tags;
}

/** What clients of each contract notice, beside what those of the whole graph do. */
export function compareContracts(
  before: TaggedGraph,
  after: TaggedGraph,
  contracts: readonly ContractRules[],
  ofGraph: readonly Change[],
): readonly Change[] {
  const known = new Set(ofGraph.map(({ code, coordinate }) => `${code} ${coordinate}`));
  return contracts.flatMap((rules) =>
    compareContract(before, after, rules)
      .filter(({ code, coordinate }) => !known.has(`${code} ${coordinate}`))
      .map((change) => ({ ...change, contract: rules.name })),
  );
}

function compareContract(before: TaggedGraph, after: TaggedGraph, rules: ContractRules): readonly Change[] {
  const was = contractSchema(before.apiSchema, before.tags, rules);
  const is = contractSchema(after.apiSchema, after.tags, rules);
  if (was && is) return compareShapes(was, is);
  if (!was) return [];
  const query = before.apiSchema.getQueryType()?.name ?? 'Query';
  return [changeOf('TYPE_REMOVED', query, `No query is left in ${rules.name}.`)];
}
