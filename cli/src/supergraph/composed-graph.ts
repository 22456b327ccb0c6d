import {
  composeBy,
  loadSubgraphs,
  readSupergraphConfig,
  otherVersionHints,
  type ComparedComposition,
  type Composers,
  type ContractRules,
  type ReportedDiagnostic,
  type Sources,
  type SubgraphSchema,
  type SupergraphConfig,
} from '@trellis/composition';
import type { PublishedGraph } from '../registry/published-graph.ts';
import { readNamedFile } from './named-file.ts';
import type { ComposedInput, NamedGraph, SubgraphOnCommandLine } from './read-command-line.ts';

/** Reading a registry takes at most that long. */
const DEADLINE_MS = 60_000;

/** What came of composing a configuration. */
export interface ComposedGraph {
  /** Undefined where it did not compose. */
  readonly supergraphSdl: string | undefined;
  readonly subgraphs: readonly SubgraphSchema[];
  readonly diagnostics: readonly ReportedDiagnostic[];
  /** Those that the configuration or the release declares. Undefined: it says nothing of contracts. */
  readonly contracts?: readonly ContractRules[] | undefined;
  /** Texts that diagnostics have places in. */
  readonly sources: Sources;
}

/**
 * Composes what a command line names.
 *
 * @throws SupergraphConfigError, RegistryError
 */
export async function composeInput({
  config: file,
  subgraph,
  published,
  composers = 'apollo',
}: ComposedInput): Promise<ComposedGraph> {
  if (published) return composePublished(published, subgraph, composers);
  const config = await readSupergraphConfig(file);
  return composeConfig(subgraph ? replaceSubgraph(config, subgraph) : config, composers);
}

/**
 * Reads the graph that a registry has. What reads registries is loaded for it alone: a composition of files takes half as long without.
 *
 * @throws RegistryError
 */
export async function readNamedGraph(named: NamedGraph): Promise<PublishedGraph> {
  const { commandEnvironment } = await import('../command-environment.ts');
  const { readHeadGraph } = await import('../registry/published-graph.ts');
  const { logOf, openForReading } = await import('../registry/registry-access.ts');
  const access = await openForReading(named, commandEnvironment());
  const { graph } = await readHeadGraph(access, logOf(named, process.env), AbortSignal.timeout(DEADLINE_MS));
  return graph;
}

async function composePublished(
  named: NamedGraph,
  replaced: SubgraphOnCommandLine | undefined,
  composers: Composers,
): Promise<ComposedGraph> {
  const { subgraphs, contracts } = await readNamedGraph(named);
  if (!replaced) return { ...composedOf(subgraphs, await composeBy(composers, subgraphs)), contracts };
  const { name, schema, routingUrl } = replaced;
  const known = subgraphs.find((subgraph) => subgraph.name === name);
  const sdl = await readNamedFile(schema);
  const own = { name, sdl, source: schema, routingUrl: routingUrl ?? known?.routingUrl ?? '' };
  const together = [...subgraphs.filter((subgraph) => subgraph.name !== name), own];
  return { ...composedOf(together, await composeBy(composers, together)), contracts };
}

async function composeConfig(config: SupergraphConfig, composers: Composers): Promise<ComposedGraph> {
  const loaded = await loadSubgraphs(config);
  if (loaded.kind === 'failed')
    return {
      supergraphSdl: undefined,
      subgraphs: [],
      diagnostics: errors(loaded.errors),
      sources: new Map(),
    };
  const composed = composedOf(loaded.subgraphs, await composeBy(composers, loaded.subgraphs));
  const hints = otherVersionHints(config).map((hint) => ({ ...hint, severity: 'hint' as const }));
  return { ...composed, contracts: config.contracts, diagnostics: [...hints, ...composed.diagnostics] };
}

/** What came of composing these subgraphs. */
export function composedOf(
  subgraphs: readonly SubgraphSchema[],
  { composition, warnings }: ComparedComposition,
): ComposedGraph {
  const sources = new Map(subgraphs.map(({ source, sdl }) => [source, sdl]));
  const compared = warnings.map((warning) => ({ ...warning, severity: 'warning' as const }));
  if (composition.kind === 'failed') {
    const diagnostics = [...errors(composition.errors), ...compared];
    return { supergraphSdl: undefined, subgraphs, diagnostics, sources };
  }
  const hints = composition.hints.map((hint) => ({ ...hint, severity: 'hint' as const }));
  const diagnostics = [...compared, ...hints];
  return { supergraphSdl: composition.supergraphSdl, subgraphs, diagnostics, sources };
}

function errors(diagnostics: readonly Omit<ReportedDiagnostic, 'severity'>[]): readonly ReportedDiagnostic[] {
  return diagnostics.map((diagnostic) => ({ ...diagnostic, severity: 'error' }));
}

function replaceSubgraph(
  config: SupergraphConfig,
  { name, schema, routingUrl }: SubgraphOnCommandLine,
): SupergraphConfig {
  const known = config.subgraphs.find((subgraph) => subgraph.name === name);
  const replaced = {
    name,
    routingUrl: routingUrl ?? known?.routingUrl ?? '',
    schema: { kind: 'file', path: schema, file: schema } as const,
  };
  const others = config.subgraphs.filter((subgraph) => subgraph.name !== name);
  return {
    ...config,
    subgraphs: [...others, replaced].toSorted((left, right) => (left.name < right.name ? -1 : 1)),
  };
}
