import {
  composeContract,
  type CheckRules,
  type ContractRules,
  type ReportedDiagnostic,
} from '@trellis/composition';
import type { ComposedGraph } from './composed-graph.ts';

/** The contracts of a graph: those of its configuration, and those of `checks.yaml` that it does not name. */
export function contractsOf(
  { contracts = [] }: Pick<ComposedGraph, 'contracts'>,
  rules: Pick<CheckRules, 'contracts'>,
): readonly ContractRules[] {
  const named = new Set(contracts.map(({ name }) => name));
  return [...contracts, ...rules.contracts.filter(({ name }) => !named.has(name))];
}

/** Why contracts of a graph do not compose. */
export function contractProblems(
  { supergraphSdl }: Pick<ComposedGraph, 'supergraphSdl'>,
  contracts: readonly ContractRules[],
): readonly ReportedDiagnostic[] {
  if (supergraphSdl === undefined) return [];
  return contracts.flatMap((rules) => {
    const contract = composeContract(supergraphSdl, rules);
    return contract.kind === 'failed'
      ? contract.errors.map((error) => ({ ...error, severity: 'error' as const }))
      : [];
  });
}
