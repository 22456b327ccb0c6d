import type { GraphQLSchema } from 'graphql';
import type { RightsRequirement } from './caller-terms.ts';

/** How long responses with a field or type may be stored, and for whom. */
export interface CachingHint {
  /** Seconds; undefined where the schema gives none. */
  readonly maxAgeS: number | undefined;
  readonly isPrivate: boolean | undefined;
}

/** How long a list is taken to be. */
export interface ListSizeHint {
  readonly assumedSize: number | undefined;
  readonly slicingArguments: readonly string[];
  readonly sizedFields: readonly string[];
}

/**
 * What a gateway reads from a supergraph beside its shape, all of it by coordinate. The gateway's own readers make it: a check
 * that read it by itself would prove nothing.
 */
export interface GraphMeaning {
  /** What a field needs with its type, the type that it returns, and what feeds it. Open where absent. */
  readonly rights: ReadonlyMap<string, RightsRequirement>;
  readonly weights: ReadonlyMap<string, number>;
  readonly listSizes: ReadonlyMap<string, ListSizeHint>;
  readonly depthAllowances: ReadonlyMap<string, number>;
  readonly caching: ReadonlyMap<string, CachingHint>;
  /** Names of the root fields that are `@sharedSubscription`. */
  readonly sharedSubscriptions: ReadonlySet<string>;
}

/** The settings of a gateway that a change may meet. */
export interface GatewayMeaning {
  /** By name; `Infinity` switches one off. */
  readonly limits: Readonly<Record<string, number>>;
  /** How each subgraph is subscribed to, by its name; under an empty name all others. */
  readonly transports: ReadonlyMap<string, string>;
}

/** A graph as clients see it, and what a gateway reads from it. */
export interface ReadGraph {
  readonly apiSchema: GraphQLSchema;
  readonly meaning: GraphMeaning;
}
