import {
  composeLoaded,
  loadSubgraphs,
  readSupergraphConfig,
  type ReportedDiagnostic,
  type Sources,
  type SubgraphSchema,
  type SupergraphConfig,
} from '@trellis/composition';
import type { ComposedInput, SubgraphOnCommandLine } from './read-command-line.ts';

/** What came of composing a configuration. */
export interface ComposedGraph {
  /** Undefined where it did not compose. */
  readonly supergraphSdl: string | undefined;
  readonly subgraphs: readonly SubgraphSchema[];
  readonly diagnostics: readonly ReportedDiagnostic[];
  /** Texts that diagnostics have places in. */
  readonly sources: Sources;
}

/**
 * Composes what a command line names.
 *
 * @throws SupergraphConfigError
 */
export async function composeInput({ config: file, subgraph }: ComposedInput): Promise<ComposedGraph> {
  const config = await readSupergraphConfig(file);
  return composeConfig(subgraph ? replaceSubgraph(config, subgraph) : config);
}

async function composeConfig(config: SupergraphConfig): Promise<ComposedGraph> {
  const loaded = await loadSubgraphs(config);
  if (loaded.kind === 'failed')
    return {
      supergraphSdl: undefined,
      subgraphs: [],
      diagnostics: errors(loaded.errors),
      sources: new Map(),
    };
  const { subgraphs } = loaded;
  const sources = new Map(subgraphs.map(({ source, sdl }) => [source, sdl]));
  const composition = composeLoaded(config, subgraphs);
  if (composition.kind === 'failed')
    return { supergraphSdl: undefined, subgraphs, diagnostics: errors(composition.errors), sources };
  const hints = composition.hints.map((hint) => ({ ...hint, severity: 'hint' as const }));
  return { supergraphSdl: composition.supergraphSdl, subgraphs, diagnostics: hints, sources };
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
