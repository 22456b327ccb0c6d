import { z } from 'zod';
import { federationVersion } from './compose-supergraph.ts';
import type { SubgraphSchema } from './subgraph-schema.ts';
import type { ContractRules } from './contracts/contract-rules.ts';

/** A supergraph, with the schemas that it was composed of where they are known. */
export interface Release {
  readonly supergraphSdl: string;
  /** Each subgraph's own schema. Undefined: not known. */
  readonly subgraphs: readonly SubgraphSchema[] | undefined;
  /** Those that are served of it. Undefined: not known. */
  readonly contracts?: readonly ContractRules[] | undefined;
}

const FORMAT = 'trellis-release/1';

const releaseSchema = z.object({
  format: z.literal(FORMAT),
  supergraph: z.string(),
  subgraphs: z.array(
    z.object({ name: z.string(), routingUrl: z.string(), source: z.string(), sdl: z.string() }),
  ),
});

/** The JSON of a release. The same text for the same graph. */
export function releaseText({
  supergraphSdl,
  subgraphs,
}: Pick<Release, 'supergraphSdl' | 'subgraphs'>): string {
  const release = {
    format: FORMAT,
    federationVersion,
    supergraph: supergraphSdl,
    subgraphs: (subgraphs ?? []).map(({ name, routingUrl, source, sdl }) => ({
      name,
      routingUrl,
      source,
      sdl,
    })),
  };
  return `${JSON.stringify(release, undefined, 2)}\n`;
}

/** Reads the JSON of a release. Undefined where the text is none. */
export function parseRelease(text: string): Release | undefined {
  if (!/^\s*\{/.test(text) || !text.includes('"trellis-release/')) return undefined;
  try {
    const { supergraph, subgraphs } = releaseSchema.parse(JSON.parse(text));
    return { supergraphSdl: supergraph, subgraphs };
  } catch {
    return undefined;
  }
}
