import type { Schema } from '@apollo/federation-internals';
import { apolloComposition, federationInternals, queryGraphs } from './apollo-packages.ts';
import { codeOf, isWorthALook } from './composition-diagnostics.ts';
import type { Diagnostic } from './diagnostic.ts';

/** What a composer says of whole queries: it has no place in a subgraph's schema. */
export type ProofFinding = Pick<Diagnostic, 'code' | 'message'>;

/** Whether every query of a supergraph has a plan: it has without an error. */
export interface SatisfiabilityProof {
  readonly errors: readonly ProofFinding[];
  readonly hints: readonly ProofFinding[];
}

/**
 * Proves that every query of a supergraph has a plan, as Apollo's composer does, but for one thing: the schemas of subgraphs that are read
 * from a supergraph of its own making are not validated again.
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
