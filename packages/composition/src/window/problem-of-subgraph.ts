import { parse } from 'graphql';
import { SubgraphVersion } from './subgraph-version.ts';

/** Why a text is no schema of a subgraph, in one line. Undefined: it may be one. */
export function problemOfSubgraph(sdl: string): string | undefined {
  try {
    const { schema } = new SubgraphVersion(parse(sdl, { noLocation: true }));
    return schema.getQueryType() ? undefined : 'It has no type for a query.';
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
  }
}
