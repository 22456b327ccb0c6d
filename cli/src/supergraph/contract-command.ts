import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  composeContract,
  DEFAULT_CHECK_RULES,
  FileProblems,
  printableLine,
  readCheckRules,
  readSupergraphConfig,
  writeDiagnostics,
  type Composers,
  type ContractRules,
} from '@trellis/composition';
import { findContract, readTextBlob } from '@trellis/registry';
import { commandEnvironment } from '../command-environment.ts';
import { readHeadGraph, type PublishedGraph } from '../registry/published-graph.ts';
import { logOf, openForReading, type Environment } from '../registry/registry-access.ts';
import { composeInput, type ComposedGraph } from './composed-graph.ts';
import { contractsOf, diagnosticsOfContracts } from './contracts-of.ts';
import { emptyReport } from './empty-report.ts';
import type { Output } from './output.ts';
import type { NamedGraph } from './read-command-line.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

/** A call of `contract`. */
export interface ContractCall extends Partial<NamedGraph> {
  /** Absent: the contracts are listed. */
  readonly name?: string | undefined;
  /** Neither of them: the contract of this name of the configuration, of the `checks.yaml` beside it, or of the release. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly config: string;
  /** @default both */
  readonly composers?: Composers;
  /** Absent: the standard output. */
  readonly output?: string;
}

/** Reading a registry takes at most that long. */
const DEADLINE_MS = 60_000;

/**
 * Composes the supergraph of a contract, or reads the one that is published; without a name, lists contracts.
 *
 * @throws SupergraphConfigError, RegistryError; FileProblems where the configuration has no such contract
 */
export async function contractCommand(
  call: ContractCall,
  output: Output,
  env: Environment = commandEnvironment(),
): Promise<'passed' | 'failed'> {
  const { name, graph } = call;
  if (graph !== undefined) return publishedContract({ ...call, graph }, output, env);
  if (name === undefined) return list(await configuredContracts(call.config), call, output);
  const composed = await composeInput({
    config: call.config,
    format: 'text',
    output: undefined,
    subgraph: undefined,
    composers: call.composers ?? 'both',
  });
  if (composed.supergraphSdl === undefined) return fail(composed, output);
  const rules = await rulesOf({ ...call, name }, composed);
  return composeAndWrite({ ...composed, supergraphSdl: composed.supergraphSdl }, rules, call, output);
}

async function publishedContract(
  call: ContractCall & NamedGraph,
  output: Output,
  env: Environment,
): Promise<'passed' | 'failed'> {
  const { name } = call;
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const access = await openForReading(call, env);
  const { graph } = await readHeadGraph(access, logOf(call, {}), signal);
  if (name === undefined) return list(graph.contracts, call, output);
  const tagged = taggedHere(call, name);
  if (tagged) return composeAndWrite(composedOf(graph), tagged, call, output);
  const { supergraph } = findContract(graph.published, name);
  return write(await readTextBlob(access.store, supergraph, signal), call, output);
}

function composedOf({ supergraphSdl, subgraphs }: PublishedGraph): ComposedSupergraph {
  return { supergraphSdl, subgraphs, diagnostics: [], sources: new Map() };
}

type ComposedSupergraph = ComposedGraph & { readonly supergraphSdl: string };

async function composeAndWrite(
  composed: ComposedSupergraph,
  rules: ContractRules,
  call: ContractCall,
  output: Output,
): Promise<'passed' | 'failed'> {
  const contract = composeContract(composed.supergraphSdl, rules);
  const warnings = composed.diagnostics.filter(({ severity }) => severity === 'warning');
  const diagnostics = [...warnings, ...diagnosticsOfContracts([contract])];
  if (diagnostics.length > 0) fail({ ...composed, diagnostics }, output);
  return contract.kind === 'failed' ? 'failed' : write(contract.supergraphSdl, call, output);
}

async function write(text: string, { output: file }: ContractCall, output: Output): Promise<'passed'> {
  if (file === undefined) output.out(text);
  else await writeFileAtomically(file, text);
  return 'passed';
}

function list(contracts: readonly ContractRules[], call: ContractCall, output: Output): Promise<'passed'> {
  const lines = contracts.map(({ name, include, exclude }) => {
    const tags = [listOf('include', include), listOf('exclude', exclude)].filter((text) => text !== '');
    return `${printableLine(`${name}: ${tags.join('; ') || 'everything'}`)}\n`;
  });
  return write(lines.join(''), call, output);
}

function listOf(what: string, tags: readonly string[]): string {
  return tags.length === 0 ? '' : `${what} ${tags.join(', ')}`;
}

function fail({ diagnostics, sources }: ComposedGraph, output: Output): 'failed' {
  output.error(writeDiagnostics({ ...emptyReport('compose'), diagnostics }, sources));
  return 'failed';
}

function taggedHere({ include = [], exclude = [] }: ContractCall, name: string): ContractRules | undefined {
  return include.length > 0 || exclude.length > 0 ? { name, include, exclude } : undefined;
}

async function rulesOf(
  call: ContractCall & { readonly name: string },
  composed: ComposedGraph,
): Promise<ContractRules> {
  const tagged = taggedHere(call, call.name);
  if (tagged) return tagged;
  const contracts = await withCheckRules(composed, call.config);
  const rules = contracts.find((contract) => contract.name === call.name);
  if (rules) return rules;
  const known = contracts.map((contract) => contract.name).join(', ') || 'none';
  throw new FileProblems([
    {
      code: 'INVALID_CONTRACT',
      message: `There is no contract ${call.name}; there are: ${known}. Say --include TAG or --exclude TAG.`,
      locations: [{ source: call.config }],
    },
  ]);
}

async function configuredContracts(config: string): Promise<readonly ContractRules[]> {
  return withCheckRules(await readSupergraphConfig(config), config);
}

async function withCheckRules(
  graph: Pick<ComposedGraph, 'contracts'>,
  config: string,
): Promise<readonly ContractRules[]> {
  const file = join(dirname(config), 'checks.yaml');
  return contractsOf(graph, existsSync(file) ? await readCheckRules(file) : DEFAULT_CHECK_RULES);
}
