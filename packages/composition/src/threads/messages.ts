import type { Composition } from '../compose-supergraph.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { SatisfiabilityProof } from '../prove-satisfiability.ts';
import type { SubgraphSchema } from '../subgraph-schema.ts';

/** Who composes: @apollo/composition, or @theguild/federation-composition. */
export type Composer = 'apollo' | 'guild';

/** What a composition thread is asked for. */
export interface CompositionTask {
  readonly subgraphs: readonly SubgraphSchema[];
  /**
   * Whether every query of the supergraph is proved to have a plan, which takes longer than all else. Only Apollo's composer does
   * without. @default true
   */
  readonly isProved?: boolean | undefined;
}

/** Two compositions of the same subgraphs, to be held against each other. */
export interface ComparisonTask {
  readonly apollo: Composition;
  readonly guild: Composition;
}

/** A supergraph whose queries are to be proved to have a plan, which the thread does by Apollo's composer, whatever it composes by. */
export interface ProofTask {
  /** As that composer printed it. */
  readonly printed: string;
}

/** All that a composition thread does. */
export type ComposerTask = CompositionTask | ComparisonTask | ProofTask;

/** What a composition thread returns for each task. */
export type CompositionReply =
  | { readonly kind: 'done'; readonly composition: Composition; readonly durationMs: number }
  | { readonly kind: 'proved'; readonly proof: SatisfiabilityProof }
  | { readonly kind: 'compared'; readonly differences: readonly Diagnostic[] }
  | { readonly kind: 'failed'; readonly message: string };
