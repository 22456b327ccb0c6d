import type { Subgraph, Subgraphs } from '@apollo/federation-internals';
import { GraphQLError, parse, Source, type DocumentNode } from 'graphql';
import { federationInternals } from './apollo-packages.ts';
import { ownCodes, type Diagnostic } from './diagnostic.ts';
import { withoutOneOf } from './one-of.ts';
import type { SubgraphSchema } from './subgraph-schema.ts';

/** The schema of a subgraph, read. */
export interface ParsedSubgraph {
  readonly name: string;
  readonly url: string;
  /** Without definitions where the text is not GraphQL. */
  readonly typeDefs: DocumentNode;
  readonly errors: readonly Diagnostic[];
}

interface KnownSubgraph {
  readonly schema: SubgraphSchema;
  readonly parsed: ParsedSubgraph;
  built?: Subgraph;
}

/**
 * The subgraphs of the last composition. Reading and building schemas is a third of composing without a proof, and a save changes one
 * of them. Composers change no schema that they are given: they copy what they have to change.
 */
export class KnownSubgraphs {
  #known = new Map<string, KnownSubgraph>();

  /** Reads schemas. What was read before and is not among them is forgotten. */
  parse(subgraphs: readonly SubgraphSchema[]): readonly ParsedSubgraph[] {
    const all = subgraphs.map((schema) => this.#find(schema) ?? { schema, parsed: parseSubgraph(schema) });
    this.#known = new Map(all.map((one) => [one.parsed.name, one]));
    return all.map(({ parsed }) => parsed);
  }

  /** Builds the schemas that were read last; two of one name are an error of the composer's own. */
  build(subgraphs: readonly ParsedSubgraph[]): {
    readonly subgraphs: Subgraphs;
    readonly errors: GraphQLError[];
  } {
    const { errorCauses, Subgraphs } = federationInternals();
    const built = new Subgraphs();
    const errors: GraphQLError[] = [];
    for (const subgraph of subgraphs) {
      try {
        built.add(this.#build(subgraph));
      } catch (error) {
        const causes = errorCauses(error as Error); // it throws errors alone
        if (!causes) throw error;
        errors.push(...causes);
      }
    }
    return { subgraphs: built, errors };
  }

  #find({ name, routingUrl, sdl, source }: SubgraphSchema): KnownSubgraph | undefined {
    const known = this.#known.get(name);
    if (!known) return undefined;
    const { schema } = known;
    const isSame = schema.sdl === sdl && schema.routingUrl === routingUrl && schema.source === source;
    return isSame ? known : undefined;
  }

  #build(subgraph: ParsedSubgraph): Subgraph {
    const known = this.#known.get(subgraph.name);
    if (known?.parsed === subgraph && known.built) return known.built;
    const built = federationInternals().buildSubgraph(
      subgraph.name,
      subgraph.url,
      withoutOneOf(subgraph.typeDefs),
    );
    if (known?.parsed === subgraph) known.built = built;
    return built;
  }
}

const emptyDocument = parse('{ __typename }');

function parseSubgraph({ name, routingUrl, sdl, source }: SubgraphSchema): ParsedSubgraph {
  try {
    const typeDefs = parse(new Source(sdl, source));
    return { name, url: routingUrl, typeDefs, errors: [] };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const locations = (error.locations ?? []).map((location) => ({ source, ...location }));
    const invalid = { code: ownCodes.INVALID_GRAPHQL, message: `[${name}] ${error.message}`, locations };
    return { name, url: routingUrl, typeDefs: emptyDocument, errors: [invalid] };
  }
}
