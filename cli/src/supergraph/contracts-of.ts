import {
  composeContracts,
  type CheckRules,
  type ContractComposition,
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

/** Why contracts of a graph do not compose, and what is wrong with those that do. */
export function contractProblems(
  { supergraphSdl }: Pick<ComposedGraph, 'supergraphSdl'>,
  contracts: readonly ContractRules[],
): readonly ReportedDiagnostic[] {
  return supergraphSdl === undefined
    ? []
    : diagnosticsOfContracts(composeContracts(supergraphSdl, contracts));
}

/** What is said of contracts that were composed. */
export function diagnosticsOfContracts(
  contracts: readonly ContractComposition[],
): readonly ReportedDiagnostic[] {
  return contracts.flatMap((contract): readonly ReportedDiagnostic[] =>
    contract.kind === 'failed'
      ? contract.errors.map((error) => ({ ...error, severity: 'error' as const }))
      : contract.hints.map((hint) => ({ ...hint, severity: 'warning' as const })),
  );
}
