import {
  composeAhead,
  composeBy,
  loadSubgraphs,
  readSupergraphConfig,
  otherVersionHints,
  type ComparedComposition,
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
export async function composeInput(input: ComposedInput): Promise<ComposedGraph> {
  const read = await readInput(input);
  return read.kind === 'failed'
    ? read.graph
    : read.graphOf(await composeBy(input.composers ?? 'apollo', read.subgraphs));
}

/** A graph that can be read before all is known of it. */
export interface GraphAhead {
  /** Merged, and neither proved nor compared. */
  readonly merged: ComposedGraph;
  /** What comes of it in the end. */
  readonly settled: Promise<ComposedGraph>;
}

/**
 * Composes as {@link composeInput}, and has the supergraph before it is proved.
 *
 * @throws SupergraphConfigError, RegistryError
 */
export async function composeInputAhead(input: ComposedInput): Promise<GraphAhead> {
  const read = await readInput(input);
  if (read.kind === 'failed') return { merged: read.graph, settled: Promise.resolve(read.graph) };
  const { merged, settled } = await composeAhead(input.composers ?? 'apollo', read.subgraphs);
  return {
    merged: read.graphOf({ composition: merged, warnings: [] }),
    settled: settled.then(read.graphOf),
  };
}

/** What a command line names, read. */
type ReadInput =
  | {
      readonly kind: 'read';
      readonly subgraphs: readonly SubgraphSchema[];
      readonly graphOf: (composed: ComparedComposition) => ComposedGraph;
    }
  | { readonly kind: 'failed'; readonly graph: ComposedGraph };

async function readInput({ config: file, subgraph, published }: ComposedInput): Promise<ReadInput> {
  if (published) return readPublished(published, subgraph);
  const config = await readSupergraphConfig(file);
  return readConfig(subgraph ? replaceSubgraph(config, subgraph) : config);
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

async function readPublished(
  named: NamedGraph,
  replaced: SubgraphOnCommandLine | undefined,
): Promise<ReadInput> {
  const { subgraphs: published, contracts } = await readNamedGraph(named);
  const subgraphs = replaced ? await replacePublished(published, replaced) : published;
  return {
    kind: 'read',
    subgraphs,
    graphOf: (composed) => ({ ...composedOf(subgraphs, composed), contracts }),
  };
}

async function replacePublished(
  published: readonly SubgraphSchema[],
  { name, schema, routingUrl }: SubgraphOnCommandLine,
): Promise<readonly SubgraphSchema[]> {
  const known = published.find((subgraph) => subgraph.name === name);
  const sdl = await readNamedFile(schema);
  const own = { name, sdl, source: schema, routingUrl: routingUrl ?? known?.routingUrl ?? '' };
  return [...published.filter((subgraph) => subgraph.name !== name), own];
}

async function readConfig(config: SupergraphConfig): Promise<ReadInput> {
  const loaded = await loadSubgraphs(config);
  if (loaded.kind === 'failed') {
    const diagnostics = errors(loaded.errors);
    return {
      kind: 'failed',
      graph: { supergraphSdl: undefined, subgraphs: [], diagnostics, sources: new Map() },
    };
  }
  const hints = otherVersionHints(config).map((hint) => ({ ...hint, severity: 'hint' as const }));
  return {
    kind: 'read',
    subgraphs: loaded.subgraphs,
    graphOf: (comparedComposition) => {
      const composed = composedOf(loaded.subgraphs, comparedComposition);
      return { ...composed, contracts: config.contracts, diagnostics: [...hints, ...composed.diagnostics] };
    },
  };
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
