import type { SubgraphEndpoint } from './supergraph.ts';

/** Where a supergraph is to be had. */
export type SupergraphLocation =
  | { readonly file: string }
  | { readonly url: string }
  /** Running subgraphs to compose, in development. */
  | { readonly subgraphs: readonly SubgraphEndpoint[] };

/**
 * Reads what names a supergraph: a path, an http(s) URL, or running subgraphs as `name=url name=url`.
 *
 * @returns nothing where it begins like subgraphs and is none, or names one twice
 */
export function locateSupergraph(text: string): SupergraphLocation | undefined {
  if (/^https?:\/\//.test(text)) return { url: text };
  if (!/^[^=\s/\\]+=https?:\/\//.test(text.trim())) return { file: text };
  const subgraphs = text.trim().split(/\s+/).map(readEndpoint);
  const known = subgraphs.filter((subgraph) => subgraph !== undefined);
  const names = new Set(known.map(({ name }) => name));
  return names.size === subgraphs.length ? { subgraphs: known } : undefined;
}

function readEndpoint(word: string): SubgraphEndpoint | undefined {
  const [, name, url] = /^([^=]+)=(https?:\/\/.+)$/.exec(word) ?? [];
  return name !== undefined && url !== undefined && URL.canParse(url) ? { name, url } : undefined;
}
