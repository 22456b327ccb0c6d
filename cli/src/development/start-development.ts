import { writeDiagnostics, type ReportedDiagnostic, type SubgraphSchema } from '@trellis/composition';
import { gateway, type GatewayConfig } from '@trellis/gateway';
import type { Resources } from '@trellis/runtime';
import { emptyReport } from '../supergraph/empty-report.ts';
import { ComposeOnSave, type CompositionObserver } from './compose-on-save.ts';
import type { DevelopmentGraph } from './development-graph.ts';
import { createDevelopmentSource, type DevelopmentSource } from './development-source.ts';

/** What a graph is developed with. */
export interface Development {
  readonly graph: DevelopmentGraph;
  /** Called with the subgraphs of each supergraph, before it serves. */
  readonly onSubgraphs: (subgraphs: readonly SubgraphSchema[]) => void;
  /** Writes lines to the terminal. */
  readonly print: (text: string) => void;
}

/** A gateway that serves, and its supergraph. */
export type DevelopmentGateway = Awaited<ReturnType<typeof gateway.start>>;

/**
 * Composes a graph, serves it, and follows each change. It waits for a first graph that composes; later the last good one serves on
 * while one does not.
 */
export async function startDevelopment(
  development: Development,
  config: GatewayConfig,
  resources: Resources,
): Promise<DevelopmentGateway> {
  const { graph } = development;
  const follower = new GraphFollower(development);
  const composing = new ComposeOnSave(follower);
  const compose = (): void => {
    follower.changed();
    if (graph.isComplete()) void composing.compose(graph.subgraphs());
  };
  const unwatch = graph.watch(compose); // first: what changes while it is read is not missed
  const close = async (): Promise<void> => {
    unwatch();
    await composing.close();
  };
  try {
    await graph.read();
    compose();
    const { source } = await follower.first;
    const served = await gateway.start({ ...config, supergraphSource: source }, resources);
    return {
      url: served.url,
      sdl: (signal) => served.sdl(signal),
      verdict: (sequence, signal) => served.verdict(sequence, signal),
      close: async () => {
        await close();
        await served.close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Passes compositions on to the gateway, the terminal and the explorer. */
class GraphFollower implements CompositionObserver {
  readonly #development: Development;
  #changedAt = 0;
  #source: DevelopmentSource | undefined;
  #begin: (source: DevelopmentSource) => void = () => undefined;
  /** The source of the first supergraph. */
  readonly first: Promise<DevelopmentSource>;

  constructor(development: Development) {
    this.#development = development;
    this.first = new Promise((resolve) => (this.#begin = resolve));
  }

  /** A change was noticed. */
  changed(): void {
    this.#changedAt = performance.now();
    for (const problem of this.#development.graph.problems()) this.#print(`waiting: ${problem}`);
  }

  async composed(
    supergraphSdl: string,
    subgraphs: readonly SubgraphSchema[],
    durationMs: number,
  ): Promise<void> {
    this.#development.onSubgraphs(subgraphs);
    const count = `${subgraphs.length} subgraph${subgraphs.length === 1 ? '' : 's'}`;
    const composed = `composed ${count} in ${Math.round(durationMs)} ms`;
    if (!this.#source) {
      this.#source = createDevelopmentSource(supergraphSdl, (error) => this.#rejected(error));
      this.#begin(this.#source);
      return this.#print(composed);
    }
    const changedAt = this.#changedAt;
    await this.#source.serve(supergraphSdl);
    this.#print(`${composed}, served ${Math.round(performance.now() - changedAt)} ms after the change`);
  }

  failed(errors: readonly ReportedDiagnostic[], subgraphs: readonly SubgraphSchema[]): void {
    this.#reject(textOf(errors, subgraphs));
  }

  proved(durationMs: number): void {
    this.#print(`every query has a plan (proved in ${Math.round(durationMs)} ms)`);
  }

  /** The explorer shows why once the one before serves again. */
  disproved(errors: readonly ReportedDiagnostic[], lastProved: string): void {
    const problem = textOf(errors, this.#development.graph.subgraphs());
    this.#print(problem.trimEnd());
    const changedAt = this.#changedAt;
    void this.#source?.serve(lastProved).then(() => {
      if (changedAt === this.#changedAt) this.#source?.reject(problem);
    });
  }

  broke(error: unknown): void {
    this.#reject(`The composer failed: ${error instanceof Error ? error.message : String(error)}\n`);
  }

  #reject(problem: string): void {
    this.#print(problem.trimEnd());
    this.#source?.reject(problem);
  }

  /** By the gateway: what composes, it does not always serve. */
  #rejected(error: Error): void {
    this.#print(error.message);
  }

  #print(text: string): void {
    this.#development.print(text);
  }
}

function textOf(errors: readonly ReportedDiagnostic[], subgraphs: readonly SubgraphSchema[]): string {
  const sources = new Map(subgraphs.map(({ source, sdl }) => [source, sdl]));
  return writeDiagnostics({ ...emptyReport('compose'), diagnostics: errors }, sources);
}
