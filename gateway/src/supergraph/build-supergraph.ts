import { createHash } from 'node:crypto';
import {
  ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
  Supergraph as FederatedSchema,
  type Schema,
} from '@apollo/federation-internals';
import { extendSchema, GraphQLError, parse, type GraphQLSchema } from 'graphql';
import { own } from '../own-property.ts';
import { Supergraph, type SubgraphEndpoint } from './supergraph.ts';
import { createTypeIndex } from './type-index.ts';

/** Settings of {@link buildSupergraph}. */
export interface BuildOptions {
  /** Replaces the addresses in the supergraph, by the subgraph's name. */
  readonly subgraphUrls?: Readonly<Record<string, string>> | undefined;
  /** Whether the text comes straight from composition: then it is not validated again. @default false */
  readonly isComposedHere?: boolean | undefined;
}

/** A supergraph that can't be served. The message says why, in words for an operator. */
export class InvalidSupergraph extends Error {
  override readonly name = 'InvalidSupergraph';
}

const JOIN = 'https://specs.apollo.dev/join';
const CONNECTORS = 'https://specs.apollo.dev/connect';

/** `@live` as clients see it. `throttle` is how rarely a client wants to hear of changes. */
const LIVE_DIRECTIVE = `"Resolves the query again and again and sends what changed, over transports that can carry a stream."
directive @live(
  "Whether it has an effect."
  if: Boolean! = true
  "Milliseconds between two resolutions at least."
  throttle: Int
) on QUERY`;

/** `@stream` as clients see it: incremental delivery in the GraphQL specification's working draft. */
const STREAM_DIRECTIVE = `"Sends the first items of a list at once, and the others when they are there, to clients that take parts."
directive @stream(
  "Whether it has an effect."
  if: Boolean! = true
  "A name that comes back with the items. Unique in the document."
  label: String
  "Items that come at once."
  initialCount: Int! = 0
) on FIELD`;

/**
 * Makes a generation of the graph from the text that composition wrote.
 *
 * @throws InvalidSupergraph when the text is no supergraph, or uses what can't be honoured
 */
export function buildSupergraph(sdl: string, options: BuildOptions = {}): Supergraph {
  const federated = readSupergraph(sdl, !options.isComposedHere);
  rejectConnectors(federated.schema);
  const subgraphs = endpointsOf(federated, options.subgraphUrls ?? {});
  return new Supergraph({
    hash: hashOf(sdl, subgraphs),
    sdl,
    schema: clientSchemaOf(federated),
    supergraphSchema: federated.schema,
    subgraphs,
    types: createTypeIndex(federated.schema),
  });
}

/** Makes the schema of clients alone. @throws InvalidSupergraph */
export function buildClientSchema(sdl: string): GraphQLSchema {
  return clientSchemaOf(readSupergraph(sdl));
}

function readSupergraph(sdl: string, validateSupergraph = true): FederatedSchema {
  try {
    return FederatedSchema.build(sdl, {
      supportedFeatures: ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
      validateSupergraph,
    });
  } catch (error) {
    throw new InvalidSupergraph(`The text is not a supergraph: ${reasonOf(sdl, error)}`);
  }
}

/** An invalid subgraph schema gets an error for what it lacks, and not for its unknown directives. */
function reasonOf(sdl: string, error: unknown): string {
  if (error instanceof GraphQLError && error.locations?.[0]) {
    const { line, column } = error.locations[0];
    return `${error.message} (${line}:${column})`;
  }
  if (!sdl.includes(JOIN))
    return 'It does not link to ' + JOIN + ', as what composition makes of subgraphs does.';
  return messageOf(error);
}

function rejectConnectors(schema: Schema): void {
  const linked = [...(schema.coreFeatures?.allFeatures() ?? [])].some(
    ({ url }) => url.identity === CONNECTORS,
  );
  if (linked) {
    throw new InvalidSupergraph(
      'The supergraph uses Apollo connectors (@connect), which need a subgraph of their own here: ' +
        'replace each connector by a subgraph that calls the REST service.',
    );
  }
}

function endpointsOf(
  federated: FederatedSchema,
  urls: Readonly<Record<string, string>>,
): ReadonlyMap<string, SubgraphEndpoint> {
  const named = federated.subgraphsMetadata().map(({ name, url }) => ({ name, url: own(urls, name) ?? url }));
  return new Map(named.map((endpoint) => [endpoint.name, Object.freeze(endpoint)]));
}

function clientSchemaOf(federated: FederatedSchema): GraphQLSchema {
  const schema = federated.apiSchema().toGraphQLJSSchema({ includeDefer: true });
  const ours = [
    ...(schema.getDirective('live') ? [] : [LIVE_DIRECTIVE]),
    ...(schema.getDirective('stream') ? [] : [STREAM_DIRECTIVE]),
  ];
  return ours.length === 0 ? schema : extendSchema(schema, parse(ours.join('\n')));
}

function hashOf(sdl: string, subgraphs: ReadonlyMap<string, SubgraphEndpoint>): string {
  return createHash('sha256')
    .update(JSON.stringify([sdl, [...subgraphs.values()]]))
    .digest('hex');
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
