import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  composeContract,
  DEFAULT_CHECK_RULES,
  FileProblems,
  readCheckRules,
  writeDiagnostics,
  type Composers,
  type ContractRules,
} from '@trellis/composition';
import { composeInput, type ComposedGraph } from './composed-graph.ts';
import { contractsOf } from './contracts-of.ts';
import { emptyReport } from './empty-report.ts';
import type { Output } from './output.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

/** A call of `contract`. */
export interface ContractCall {
  readonly name: string;
  /** Neither of them: the contract of this name of the configuration, or of the `checks.yaml` beside it. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly config: string;
  /** @default both */
  readonly composers?: Composers;
  /** Absent: the standard output. */
  readonly output?: string;
}

/**
 * Composes the supergraph of a contract.
 *
 * @throws SupergraphConfigError; FileProblems where there is no such contract
 */
export async function contractCommand(call: ContractCall, output: Output): Promise<'passed' | 'failed'> {
  const composed = await composeInput({
    config: call.config,
    format: 'text',
    output: undefined,
    subgraph: undefined,
    composers: call.composers ?? 'both',
  });
  if (composed.supergraphSdl === undefined) return fail(composed, output);
  const contract = composeContract(composed.supergraphSdl, await rulesOf(call, composed));
  if (contract.kind === 'failed') {
    const diagnostics = contract.errors.map((error) => ({ ...error, severity: 'error' as const }));
    return fail({ ...composed, diagnostics }, output);
  }
  const warnings = composed.diagnostics.filter(({ severity }) => severity === 'warning');
  report({ ...composed, diagnostics: warnings }, output);
  if (call.output === undefined) output.out(contract.supergraphSdl);
  else await writeFileAtomically(call.output, contract.supergraphSdl);
  return 'passed';
}

function fail(composed: ComposedGraph, output: Output): 'failed' {
  report(composed, output);
  return 'failed';
}

function report({ diagnostics, sources }: ComposedGraph, output: Output): void {
  output.error(writeDiagnostics({ ...emptyReport('compose'), diagnostics }, sources));
}

async function rulesOf(
  { name, include = [], exclude = [], config }: ContractCall,
  composed: ComposedGraph,
): Promise<ContractRules> {
  if (include.length > 0 || exclude.length > 0) return { name, include, exclude };
  const file = join(dirname(config), 'checks.yaml');
  const contracts = contractsOf(
    composed,
    existsSync(file) ? await readCheckRules(file) : DEFAULT_CHECK_RULES,
  );
  const rules = contracts.find((contract) => contract.name === name);
  if (rules) return rules;
  const known = contracts.map((contract) => contract.name).join(', ') || 'none';
  throw new FileProblems([
    {
      code: 'INVALID_CONTRACT',
      message: `There is no contract ${name}; there are: ${known}. Say --include TAG or --exclude TAG.`,
      locations: [{ source: config }],
    },
  ]);
}
