import { createRequire } from 'node:module';
import { GraphQLError, parse, Source } from 'graphql';
import type { Composition } from '../compose-supergraph.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { locationOf } from '../source-position.ts';
import type { SubgraphSchema } from '../subgraph-schema.ts';

const require = createRequire(import.meta.url);

/** Required: as ES modules it is a hundred files, each read on its own. */
const { composeServices } =
  require('@theguild/federation-composition') as typeof import('@theguild/federation-composition');

/** Composes subgraphs by the second composer, @theguild/federation-composition. It has no hints. */
export function composeByGuild(subgraphs: readonly SubgraphSchema[]): Composition {
  try {
    const services = subgraphs
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map(({ name, routingUrl, sdl, source }) => ({
        name,
        url: routingUrl,
        typeDefs: parse(new Source(sdl, source)),
      }));
    const { errors, supergraphSdl } = composeServices(services);
    if (errors) return { kind: 'failed', errors: errors.map(describe) };
    return { kind: 'composed', supergraphSdl: `${supergraphSdl.trim()}\n`, hints: [] };
  } catch (error) {
    // it throws where a schema is beyond it
    const reason = error instanceof GraphQLError ? error : new GraphQLError(String(error));
    return { kind: 'failed', errors: [describe(reason)] };
  }
}

function describe({ message, extensions, nodes = [] }: GraphQLError): Diagnostic {
  const { code } = extensions;
  return {
    code: typeof code === 'string' ? code : 'COMPOSITION_ERROR',
    message,
    locations: nodes.map(locationOf).filter((location) => location !== undefined),
  };
}
