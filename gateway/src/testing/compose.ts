import { composeSubgraphs } from '@trellis/composition';
import { print, type DocumentNode } from 'graphql';

/** A subgraph to be composed. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly typeDefs: DocumentNode;
  /** @default an address where nothing listens */
  readonly url?: string;
}

/**
 * Composes subgraphs into a supergraph. Tests start many gateways over few graphs: each graph is composed once, with placeholders
 * instead of addresses. Throws what composition reports.
 */
export function compose(subgraphs: readonly ComposedSubgraph[]): string {
  const definitions = subgraphs.map(({ name, typeDefs }) => ({ name, sdl: print(typeDefs) }));
  const key = JSON.stringify(definitions);
  const composed = compositions.get(key) ?? composeDefinitions(definitions);
  compositions.set(key, composed);
  return subgraphs.reduce(
    (sdl, { name, url }) => sdl.replaceAll(`"${placeholderOf(name)}"`, () => JSON.stringify(url ?? NOWHERE)),
    composed,
  );
}

const NOWHERE = 'http://127.0.0.1:9/graphql';

/** By what went into them. */
const compositions = new Map<string, string>();

const placeholderOf = (name: string): string => `http://${name}.invalid/graphql`;

function composeDefinitions(definitions: readonly { name: string; sdl: string }[]): string {
  const composition = composeSubgraphs(
    definitions.map(({ name, sdl }) => ({ name, routingUrl: placeholderOf(name), sdl, source: name })),
  );
  if (composition.kind === 'composed') return composition.supergraphSdl;
  throw new Error(composition.errors.map(({ message }) => message).join('\n'));
}
