import { createHash } from 'node:crypto';
import type { Schema, Supergraph as FederatedSchema } from '@apollo/federation-internals';
import { own } from '@trellis/runtime/own-property';
import { buildASTSchema, extendSchema, GraphQLError, Kind, parse, type GraphQLSchema } from 'graphql';
import { trustApiSchema } from './api-schema.ts';
import {
  Supergraph,
  type SubgraphEndpoint,
  type SubscriptionAddress,
  type SupergraphText,
} from './supergraph.ts';
import { createTypeIndex } from './type-index.ts';
import { JOIN_IDENTITY } from './linked-directives.ts';
import { federationInternals } from './apollo-packages.ts';

/** Settings of {@link buildSupergraph}. */
export interface BuildOptions {
  /** Replaces the addresses in the supergraph, by the subgraph's name. */
  readonly subgraphUrls?: Readonly<Record<string, string>> | undefined;
  /** Where and how subgraphs are subscribed to, by name, where that is not as for queries. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionAddress>> | undefined;
  /** Whether the text comes straight from composition: then it is not validated again. @default false */
  readonly isComposedHere?: boolean | undefined;
  /**
   * Whether the schema of clients is not validated once more: what hides elements has made sure that what is left is a schema.
   * @default isComposedHere
   */
  readonly isClientSchemaTrusted?: boolean | undefined;
}

/** A supergraph that can't be served. The message says why, in words for an operator. */
export class InvalidSupergraph extends Error {
  override readonly name = 'InvalidSupergraph';
}

const CONNECTORS = 'https://specs.apollo.dev/connect';

/** `@live` as clients see it. `throttle` is how rarely a client wants to hear of changes. */
const LIVE_DIRECTIVE = `"Resolves the query again and again and sends what changed, over transports that can carry a stream."
directive @live(
  "Whether it has an effect."
  if: Boolean! = true
  "Milliseconds between two ticks at least."
  throttle: Int
) on QUERY`;

/** `@stream` as clients see it: incremental delivery in the GraphQL specification's working draft. */
const STREAM_DIRECTIVE = `"Sends the first items of a list at once, and the others when they arrive, to clients that accept incremental delivery."
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
  const { isComposedHere = false, isClientSchemaTrusted = isComposedHere } = options;
  const federated = readSupergraph(sdl, !isComposedHere);
  rejectConnectors(federated.schema);
  const subgraphs = endpointsOf(federated, options);
  return new Supergraph({
    hash: hashOf(sdl, [...subgraphs.values()]),
    sdl,
    schema: isClientSchemaTrusted ? trustedClientSchema(federated) : clientSchemaOf(federated),
    supergraphSchema: federated.schema,
    subgraphs,
    types: createTypeIndex(federated.schema),
  });
}

const GRAPH = /@join__graph\(name: ("(?:[^"\\]|\\.)*"), url: ("(?:[^"\\]|\\.)*")\)/g;

/**
 * What a supergraph will be known by, without building it: of a text that a composer of this process has printed. Of another text it
 * may be another name, under which nothing is found.
 */
export function identifySupergraph(sdl: string, options: BuildOptions = {}): SupergraphText {
  const graphs = [...sdl.matchAll(GRAPH)].map(([, name = '""', url = '""']) =>
    endpointOf(JSON.parse(name) as string, JSON.parse(url) as string, options),
  ); // quoted texts
  return { hash: hashOf(sdl, graphs), sdl };
}

/** Makes the schema of clients alone. @throws InvalidSupergraph */
export function buildClientSchema(sdl: string): GraphQLSchema {
  return clientSchemaOf(readSupergraph(sdl));
}

function readSupergraph(sdl: string, validateSupergraph = true): FederatedSchema {
  try {
    return federationInternals.Supergraph.build(sdl, {
      supportedFeatures: federationInternals.ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
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
  if (!sdl.includes(JOIN_IDENTITY))
    return 'It does not link to ' + JOIN_IDENTITY + ', as what composition makes of subgraphs does.';
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
  options: BuildOptions,
): ReadonlyMap<string, SubgraphEndpoint> {
  const named = federated.subgraphsMetadata().map(({ name, url }) => endpointOf(name, url, options));
  return new Map(named.map((endpoint) => [endpoint.name, Object.freeze(endpoint)]));
}

function endpointOf(
  name: string,
  url: string,
  { subgraphUrls = {}, subscriptions = {} }: BuildOptions,
): SubgraphEndpoint {
  const subscription = own(subscriptions, name);
  return { name, url: own(subgraphUrls, name) ?? url, ...(subscription && { subscription }) };
}

/** What {@link clientSchemaOf} makes, of a text that was validated: in one step, and not validated again. */
function trustedClientSchema(federated: FederatedSchema): GraphQLSchema {
  trustApiSchema(federated.schema);
  const api = federated.apiSchema();
  const own = ownDirectives((name) => api.directive(name)?.isBuiltIn === false);
  const { definitions } = parse(own.join('\n'), { noLocation: true });
  return buildASTSchema(
    {
      kind: Kind.DOCUMENT,
      definitions: [...api.toAST().definitions, api.deferDirective().toAST(), ...definitions],
    },
    { assumeValid: true },
  );
}

function clientSchemaOf(federated: FederatedSchema): GraphQLSchema {
  const schema = federated.apiSchema().toGraphQLJSSchema({ includeDefer: true });
  const ours = ownDirectives((name) => Boolean(schema.getDirective(name)));
  return ours.length === 0 ? schema : extendSchema(schema, parse(ours.join('\n')));
}

/** Those that a graph does not define itself. */
function ownDirectives(has: (name: string) => boolean): readonly string[] {
  return [...(has('live') ? [] : [LIVE_DIRECTIVE]), ...(has('stream') ? [] : [STREAM_DIRECTIVE])];
}

function hashOf(sdl: string, subgraphs: readonly SubgraphEndpoint[]): string {
  return createHash('sha256')
    .update(JSON.stringify([sdl, subgraphs]))
    .digest('hex');
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
