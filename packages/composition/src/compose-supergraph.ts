import { apolloComposition } from './apollo-packages.ts';
import { runChecks } from './checks/index.ts';
import { describeError, describeHint, type CompositionHint } from './composition-diagnostics.ts';
import { ownCodes, type Diagnostic } from './diagnostic.ts';
import { KnownSubgraphs, type ParsedSubgraph } from './known-subgraphs.ts';
import { markOneOf, oneOfInputs } from './one-of.ts';
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

/** How {@link composeSubgraphs} works. */
export interface ComposeOptions {
  /** Whether every query of the supergraph is proved to have a plan, which takes longer than all else. @default true */
  readonly isProved?: boolean | undefined;
  /** What was composed before: schemas that are the same are not built again. @default nothing */
  readonly known?: KnownSubgraphs | undefined;
}

/** Composes subgraphs whose schemas are at hand. */
export function composeSubgraphs(
  subgraphs: readonly SubgraphSchema[],
  { isProved = true, known = new KnownSubgraphs() }: ComposeOptions = {},
): Composition {
  const parsed = known.parse(subgraphs);
  const documents = new Map(parsed.map(({ name, typeDefs }) => [name, typeDefs]));
  const invalid = [...parsed.flatMap(({ errors }) => errors), ...runChecks('error', documents)];
  if (invalid.length > 0) return { kind: 'failed', errors: invalid };
  const sorted = parsed.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return compose(sorted, known, isProved);
}

function compose(
  subgraphs: readonly ParsedSubgraph[],
  known: KnownSubgraphs,
  isProved: boolean,
): Composition {
  const documents = new Map(subgraphs.map(({ name, typeDefs }) => [name, typeDefs]));
  const built = known.build(subgraphs);
  const result =
    built.errors.length > 0
      ? { errors: built.errors }
      : apolloComposition.compose(built.subgraphs, { runSatisfiability: isProved });
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
