import type { CompositionResult } from '@apollo/composition';
import type { Schema } from '@apollo/federation-internals';
import { apolloComposition, federationInternals, queryGraphs } from './apollo-packages.ts';

/** What a composer says of whole queries: it has no place in a subgraph's schema. */
export interface ProofFinding {
  readonly code: string;
  readonly message: string;
}

/** Whether every query of a supergraph has a plan: it has without an error. */
export interface SatisfiabilityProof {
  readonly errors: readonly ProofFinding[];
  readonly hints: readonly ProofFinding[];
}

/** What the composer reports beside a supergraph. */
export type CompositionHint = NonNullable<CompositionResult['hints']>[number];

/** Differing enum values count for the composer as a detail, and are the one conflict of names that it settles alone. */
const alwaysShown: ReadonlySet<string> = new Set([
  'INCONSISTENT_ENUM_VALUE_FOR_INPUT_ENUM',
  'INCONSISTENT_ENUM_VALUE_FOR_OUTPUT_ENUM',
]);

/** The composer has three levels: WARN, INFO and DEBUG. */
export function isWorthALook({ definition }: CompositionHint): boolean {
  return definition.level.name !== 'DEBUG' || alwaysShown.has(definition.code);
}

/**
 * Proves that every query of a supergraph has a plan, as Apollo's composer does, but for one thing: the schemas of subgraphs that are read
 * from a supergraph of its own making are not validated again, which takes a third as long as the proof.
 *
 * @param supergraph as that composer merged it, or printed it
 */
export function proveSatisfiability(supergraph: Schema | string): SatisfiabilityProof {
  const { buildSchema, Supergraph } = federationInternals();
  const { buildFederatedQueryGraph, buildSupergraphAPIQueryGraph } = queryGraphs();
  const schema = typeof supergraph === 'string' ? buildSchema(supergraph, { validate: false }) : supergraph;
  const federated = new Supergraph(schema, null, false);
  const { errors = [], hints = [] } = apolloComposition().validateGraphComposition(
    federated.schema,
    federated.subgraphNameToGraphEnumValue(),
    buildSupergraphAPIQueryGraph(federated),
    buildFederatedQueryGraph(federated, false),
  );
  return {
    errors: errors.map(({ extensions, message }) => ({ code: codeOf(extensions), message })),
    hints: hints
      .filter(isWorthALook)
      .map(({ definition, message }) => ({ code: definition.code, message }))
      .toSorted((left, right) => (left.message < right.message ? -1 : 1)), // they follow the order of types, which printing changes
  };
}

/** What the composer calls an error. */
export function codeOf({ code }: Readonly<Record<string, unknown>>): string {
  return typeof code === 'string' ? code : 'COMPOSITION_ERROR';
}
