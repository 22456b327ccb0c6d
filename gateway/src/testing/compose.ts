import { composeSubgraphs } from '@trellis/composition';
import { print, type DocumentNode } from 'graphql';

/** A subgraph to be composed. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly typeDefs: DocumentNode;
  /** @default an address where nothing listens */
  readonly url?: string;
}

/** Composes subgraphs into a supergraph. Throws what composition reports. */
export function compose(subgraphs: readonly ComposedSubgraph[]): string {
  const composition = composeSubgraphs(
    subgraphs.map(({ name, typeDefs, url }) => ({
      name,
      routingUrl: url ?? 'http://127.0.0.1:9/graphql',
      sdl: print(typeDefs),
      source: name,
    })),
  );
  if (composition.kind === 'composed') return composition.supergraphSdl;
  throw new Error(composition.errors.map(({ message }) => message).join('\n'));
}
