import type { CompositionResult } from '@apollo/composition';
import { Kind, type ASTNode, type DocumentNode, type GraphQLError } from 'graphql';
import type { SubgraphDocuments } from './checks/index.ts';
import type { Diagnostic, SourceLocation } from './diagnostic.ts';
import { locateField, locateDirective, locationOf } from './source-position.ts';

/** What the composer reports beside a supergraph. */
export type CompositionHint = NonNullable<CompositionResult['hints']>[number];

/** Differing enum values count for the composer as a detail, and are the one conflict of names that it settles alone. */
const alwaysShown: ReadonlySet<string> = new Set([
  'INCONSISTENT_ENUM_VALUE_FOR_INPUT_ENUM',
  'INCONSISTENT_ENUM_VALUE_FOR_OUTPUT_ENUM',
]);

/** The composer has three levels: WARN, INFO and DEBUG. */
export function isWorthALook({ definition }: CompositionHint): boolean {
  return definition.level.name !== 'DEBUG' || alwaysShown.has(definition.code);
}

/** An error of the composer, with the places in the subgraphs' schemas that it is about. */
export function describeError(error: GraphQLError, documents: SubgraphDocuments): Diagnostic {
  return {
    code: codeOf(error.extensions),
    message: error.message,
    locations: locate(error.message, error.nodes ?? [], documents),
  };
}

/** A hint of the composer, likewise. */
export function describeHint(hint: CompositionHint, documents: SubgraphDocuments): Diagnostic {
  return {
    code: hint.definition.code,
    message: hint.message,
    locations: locate(hint.message, hint.nodes ?? [], documents),
  };
}

/** What proving a supergraph found. */
export function describeFinding(
  { code, message }: Pick<Diagnostic, 'code' | 'message'>,
  documents: SubgraphDocuments,
): Diagnostic {
  return { code, message, locations: locate(message, [], documents) };
}

/**
 * The composer's nodes know their places, except where it works on a schema that it printed itself, and where it talks
 * about whole queries. Then what the message names is looked up.
 */
function locate(
  message: string,
  nodes: readonly ASTNode[],
  documents: SubgraphDocuments,
): readonly SourceLocation[] {
  const known = nodes.map(locationOf).filter((location) => location !== undefined);
  if (known.length > 0) return unique(known);
  const concerned = documentsNamedIn(message, documents);
  const ofDirectives = nodes
    .filter((node) => node.kind === Kind.DIRECTIVE)
    .flatMap((directive) => concerned.flatMap((document) => locateDirective(document, directive)));
  if (ofDirectives.length > 0) return unique(ofDirectives);
  return unique(
    missingFields(message).flatMap((coordinate) =>
      concerned.flatMap((document) => locateField(document, coordinate)),
    ),
  );
}

/** Messages about one subgraph begin with its name in brackets. */
function documentsNamedIn(message: string, documents: SubgraphDocuments): readonly DocumentNode[] {
  const document = documents.get(/^\[([^\]]+)\] /.exec(message)?.[1] ?? '');
  return document ? [document] : [...documents.values()];
}

/** What an unsatisfiable query fails on: `cannot find field "Product.price"`. */
function missingFields(message: string): readonly string[] {
  return [...message.matchAll(/cannot find field "(\w+\.\w+)"/g)].map(([, coordinate = '']) => coordinate);
}

function unique(locations: readonly SourceLocation[]): readonly SourceLocation[] {
  const seen = new Map(locations.map((location) => [JSON.stringify(location), location]));
  return [...seen.values()];
}

/** What the composer calls an error. */
export function codeOf({ code }: Readonly<Record<string, unknown>>): string {
  return typeof code === 'string' ? code : 'COMPOSITION_ERROR';
}
