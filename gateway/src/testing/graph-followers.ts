import type { FollowOptions } from '../registry/follow-options.ts';
import { followRegistry, type FollowedRegistry } from '../registry/followed-registry.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { PublishedGraph } from './published-graph.ts';

/** Gateways that follow a published graph, as far as the registry goes, and what they report. They look when a test says so. */
export class GraphFollowers {
  /** Of each record or release that is not served: its error, as {@link codeOf} has it by default. */
  readonly rejected: string[] = [];
  /** Of each copy or verdict that failed. */
  readonly damaged: string[] = [];
  readonly #graph: PublishedGraph;
  readonly #nameOf: (error: unknown) => string;
  readonly #opened: FollowedRegistry[] = [];

  constructor(graph: PublishedGraph, nameOf: (error: unknown) => string = codeOf) {
    this.#graph = graph;
    this.#nameOf = nameOf;
  }

  /** Starts one more. @param more options that differ from the usual ones */
  async follow(more: Partial<FollowOptions> = {}): Promise<FollowedRegistry> {
    const { store, log, trust, cacheDirectory } = this.#graph;
    const followed = await followRegistry({
      store,
      log,
      trust,
      directory: cacheDirectory,
      subgraphUrls: {},
      warm: async () => undefined,
      retire: () => undefined,
      pollMs: () => 3_600_000,
      observer: {
        verified: () => undefined,
        serving: () => undefined,
        stopped: () => undefined,
        checked: () => undefined,
        rejected: (error) => void this.rejected.push(this.#nameOf(error)),
        copyFailed: (error) => void this.damaged.push(this.#nameOf(error)),
        verdictFailed: (_sequence, error) => void this.damaged.push(this.#nameOf(error)),
      },
      ...more,
    });
    this.#opened.push(followed);
    return followed;
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((one) => one.close()));
  }
}

/** The code of an error, or else its text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** The fields of its queries. */
export function queryFieldsOf(supergraph: Supergraph): readonly string[] {
  return Object.keys(supergraph.schema.getQueryType()?.getFields() ?? {});
}
