import type { Schema } from '@apollo/federation-internals';
import { apolloComposition } from './apollo-packages.ts';
import { runChecks, type SubgraphDocuments } from './checks/index.ts';
import { describeError, describeFinding, describeHint, isWorthALook } from './composition-diagnostics.ts';
import { ownCodes, type Diagnostic } from './diagnostic.ts';
import { KnownSubgraphs, type ParsedSubgraph } from './known-subgraphs.ts';
import { markOneOf, oneOfInputs } from './one-of.ts';
import { proveSatisfiability, type ProofFinding, type SatisfiabilityProof } from './prove-satisfiability.ts';
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
  { isProved = true, known }: ComposeOptions = {},
): Composition {
  const { composition, supergraph } = mergeSubgraphs(subgraphs, known);
  if (!isProved || !supergraph) return composition;
  return withProof(composition, subgraphs, proveSatisfiability(supergraph.schema));
}

/**
 * A composition with what its proof found.
 *
 * @param subgraphs are read once more to find the places of what was found
 */
export function withProof(
  composition: Composition,
  subgraphs: readonly SubgraphSchema[],
  { errors, hints }: SatisfiabilityProof,
): Composition {
  if (composition.kind === 'failed' || errors.length + hints.length === 0) return composition;
  const documents = documentsOf(new KnownSubgraphs().parse(subgraphs.toSorted(byName)));
  const describe = (finding: ProofFinding): Diagnostic => describeFinding(finding, documents);
  if (errors.length > 0) return { kind: 'failed', errors: errors.map(describe) };
  return { ...composition, hints: [...composition.hints, ...hints.map(describe)] };
}

/** Subgraphs that were merged, before every query of the supergraph is proved to have a plan. */
export interface MergedSubgraphs {
  /** What was made without a proof. */
  readonly composition: Composition;
  /** The supergraph as the composer has it, and prints it. Undefined where subgraphs do not fit together: then nothing is to be proved. */
  readonly supergraph: { readonly schema: Schema; readonly printed: string } | undefined;
}

/** Does the first half of {@link composeSubgraphs}: proving what was merged takes as long again. */
export function mergeSubgraphs(
  subgraphs: readonly SubgraphSchema[],
  known: KnownSubgraphs = new KnownSubgraphs(),
): MergedSubgraphs {
  const parsed = known.parse(subgraphs);
  const documents = documentsOf(parsed);
  const invalid = [...parsed.flatMap(({ errors }) => errors), ...runChecks('error', documents)];
  if (invalid.length > 0) return notMerged(invalid);
  const sorted = parsed.toSorted(byName);
  return merge(sorted, known);
}

function merge(subgraphs: readonly ParsedSubgraph[], known: KnownSubgraphs): MergedSubgraphs {
  const documents = documentsOf(subgraphs);
  const built = known.build(subgraphs);
  const result =
    built.errors.length > 0
      ? { errors: built.errors }
      : apolloComposition().compose(built.subgraphs, { runSatisfiability: false });
  if (result.errors) return notMerged(result.errors.map((error) => describeError(error, documents)));
  const supergraphSdl = markOneOf(`${result.supergraphSdl.trim()}\n`, inputsMarkedIn(subgraphs));
  const hints = [
    ...runChecks('hint', documents),
    ...result.hints.filter(isWorthALook).map((hint) => describeHint(hint, documents)),
  ];
  return {
    composition: { kind: 'composed', supergraphSdl, hints },
    supergraph: { schema: result.schema, printed: result.supergraphSdl },
  };
}

function notMerged(errors: readonly Diagnostic[]): MergedSubgraphs {
  return { composition: { kind: 'failed', errors }, supergraph: undefined };
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}

function documentsOf(subgraphs: readonly ParsedSubgraph[]): SubgraphDocuments {
  return new Map(subgraphs.map(({ name, typeDefs }) => [name, typeDefs]));
}

function inputsMarkedIn(subgraphs: readonly ParsedSubgraph[]): ReadonlySet<string> {
  return new Set(subgraphs.flatMap(({ typeDefs }) => [...oneOfInputs(typeDefs)]));
}

function notReadable(reason: unknown): Diagnostic {
  if (!(reason instanceof SchemaNotReadable)) throw reason;
  return {
    code: ownCodes.SCHEMA_NOT_READABLE,
    message: reason.message,
    locations: [{ source: reason.source }],
  };
}
