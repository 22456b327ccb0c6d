import type { Subgraph, Subgraphs } from '@apollo/federation-internals';
import { GraphQLError, Kind, parse, Source, type DocumentNode } from 'graphql';
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
  /** Texts by name. */
  readonly #valid: ReadonlyMap<string, string>;

  /** @param valid schemas that were composed before, somewhere: what GraphQL asks of any schema is not asked of them again */
  constructor(valid: readonly SubgraphSchema[] = []) {
    this.#valid = new Map(valid.map(({ name, sdl }) => [name, sdl]));
  }

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
    const isValid = known !== undefined && this.#valid.get(subgraph.name) === known.schema.sdl;
    const built = (isValid && buildValid(subgraph)) || buildSubgraph(subgraph);
    if (known?.parsed === subgraph) known.built = built;
    return built;
  }
}

function buildSubgraph({ name, url, typeDefs }: ParsedSubgraph): Subgraph {
  return federationInternals().buildSubgraph(name, url, withoutOneOf(typeDefs));
}

const NOTHING: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/**
 * As {@link buildSubgraph}, without the rules of graphql-js for schemas, which take half of that time: they get nothing to look at. All
 * that federation asks of a schema is asked all the same.
 *
 * @returns nothing where it turns out to be wrong, and has to be built with all rules for the right error
 */
function buildValid({ name, url, typeDefs }: ParsedSubgraph): Subgraph | undefined {
  const { buildSchemaFromAST, FederationBlueprint, Subgraph } = federationInternals();
  try {
    const options = { blueprint: new FederationBlueprint(true), validate: false };
    const schema = buildSchemaFromAST(withoutOneOf(typeDefs), options);
    schema.toAST = () => NOTHING;
    const subgraph = new Subgraph(name, url, schema).validate();
    Reflect.deleteProperty(schema, 'toAST');
    return subgraph;
  } catch {
    return undefined;
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
