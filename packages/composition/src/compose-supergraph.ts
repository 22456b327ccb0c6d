import { composeServices } from '@apollo/composition';
import { GraphQLError, parse, Source, type DocumentNode } from 'graphql';
import { runChecks } from './checks/index.ts';
import { describeError, describeHint, type CompositionHint } from './composition-diagnostics.ts';
import { ownCodes, type Diagnostic } from './diagnostic.ts';
import { markOneOf, oneOfInputs, withoutOneOf } from './one-of.ts';
import {
  loadSubgraphSchema,
  SchemaNotReadable,
  type LoadOptions,
  type SubgraphSchema,
} from './subgraph-schema.ts';
import type { SupergraphConfig } from './supergraph-config.ts';

/** The version of Apollo Federation that composes here. */
export const federationVersion = '2.14.4';

/** What became of a composition. */
export type Composition =
  | {
      readonly kind: 'composed';
      /** The same text for the same subgraphs, in whatever order they come. */
      readonly supergraphSdl: string;
      /** What is worth a look: conflicts that the composer settled, overrides that are done. */
      readonly hints: readonly Diagnostic[];
    }
  | { readonly kind: 'failed'; readonly errors: readonly Diagnostic[] };

/** The schemas of a configuration, or why they could not be read. */
export type LoadedSubgraphs =
  | { readonly kind: 'loaded'; readonly subgraphs: readonly SubgraphSchema[] }
  | { readonly kind: 'failed'; readonly errors: readonly Diagnostic[] };

/** Reads the schemas of a configuration, each from where it says. */
export async function loadSubgraphs(
  { subgraphs }: SupergraphConfig,
  options: LoadOptions = {},
): Promise<LoadedSubgraphs> {
  const loaded = await Promise.allSettled(subgraphs.map((subgraph) => loadSubgraphSchema(subgraph, options)));
  const errors = loaded
    .filter((outcome) => outcome.status === 'rejected')
    .map(({ reason }) => notReadable(reason));
  if (errors.length > 0) return { kind: 'failed', errors };
  return {
    kind: 'loaded',
    subgraphs: loaded.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value),
  };
}

/**
 * Composes the subgraphs of a configuration, Federation 1 and 2 mixed. Nothing here throws for what a subgraph team
 * wrote: schemas that can't be read, that are not GraphQL, or that don't fit together are errors of the result.
 */
export async function composeSupergraph(
  config: SupergraphConfig,
  options: LoadOptions = {},
): Promise<Composition> {
  const loaded = await loadSubgraphs(config, options);
  return loaded.kind === 'failed' ? loaded : composeLoaded(config, loaded.subgraphs);
}

/** Composes the subgraphs of a configuration whose schemas were read. */
export function composeLoaded(config: SupergraphConfig, subgraphs: readonly SubgraphSchema[]): Composition {
  const composition = composeSubgraphs(subgraphs);
  if (composition.kind === 'failed') return composition;
  return { ...composition, hints: [...otherVersionHints(config), ...composition.hints] };
}

/** What is to be said of a configuration that asks for another version than the one that composes. */
export function otherVersionHints({ file, exactFederationVersion }: SupergraphConfig): readonly Diagnostic[] {
  if (exactFederationVersion === undefined || exactFederationVersion === federationVersion) return [];
  return [
    {
      code: ownCodes.OTHER_FEDERATION_VERSION,
      message: `federation_version asks for ${exactFederationVersion}; this is composed by ${federationVersion}.`,
      locations: [{ source: file }],
    },
  ];
}

/** What {@link composeSubgraphs} may leave out. */
export interface ComposeOptions {
  /** Whether every query of the supergraph is proved to have a plan, which takes longer than all else. @default true */
  readonly isProved?: boolean | undefined;
}

/** Composes subgraphs whose schemas are at hand. */
export function composeSubgraphs(
  subgraphs: readonly SubgraphSchema[],
  { isProved = true }: ComposeOptions = {},
): Composition {
  const parsed = subgraphs.map(parseSubgraph);
  const documents = new Map(parsed.map(({ name, typeDefs }) => [name, typeDefs]));
  const invalid = [...parsed.flatMap(({ errors }) => errors), ...runChecks('error', documents)];
  if (invalid.length > 0) return { kind: 'failed', errors: invalid };
  return compose(
    parsed.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    isProved,
  );
}

interface ParsedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly typeDefs: DocumentNode;
  readonly errors: readonly Diagnostic[];
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

function compose(subgraphs: readonly ParsedSubgraph[], isProved: boolean): Composition {
  const documents = new Map(subgraphs.map(({ name, typeDefs }) => [name, typeDefs]));
  const result = composeServices(
    subgraphs.map(({ name, url, typeDefs }) => ({ name, url, typeDefs: withoutOneOf(typeDefs) })),
    { runSatisfiability: isProved },
  );
  if (result.errors)
    return { kind: 'failed', errors: result.errors.map((error) => describeError(error, documents)) };
  const hints = result.hints.filter(isWorthALook).map((hint) => describeHint(hint, documents));
  return {
    kind: 'composed',
    supergraphSdl: markOneOf(`${result.supergraphSdl.trim()}\n`, inputsMarkedIn(subgraphs)),
    hints: [...runChecks('hint', documents), ...hints],
  };
}

function inputsMarkedIn(subgraphs: readonly ParsedSubgraph[]): ReadonlySet<string> {
  return new Set(subgraphs.flatMap(({ typeDefs }) => [...oneOfInputs(typeDefs)]));
}

/** Differing enum values count for the composer as a detail, and are the one conflict of names that it settles alone. */
const alwaysShown: ReadonlySet<string> = new Set([
  'INCONSISTENT_ENUM_VALUE_FOR_INPUT_ENUM',
  'INCONSISTENT_ENUM_VALUE_FOR_OUTPUT_ENUM',
]);

/** The composer has three levels: WARN, INFO and DEBUG. */
function isWorthALook({ definition }: CompositionHint): boolean {
  return definition.level.name !== 'DEBUG' || alwaysShown.has(definition.code);
}

function notReadable(reason: unknown): Diagnostic {
  if (!(reason instanceof SchemaNotReadable)) throw reason;
  return {
    code: ownCodes.SCHEMA_NOT_READABLE,
    message: reason.message,
    locations: [{ source: reason.source }],
  };
}
