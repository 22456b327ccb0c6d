import { print, type DocumentNode } from 'graphql';
import { composeSubgraphs, type Composition } from '../compose-supergraph.ts';
import { formatDiagnostic } from '../diagnostic.ts';
import type { SubgraphSchema } from '../subgraph-schema.ts';

/** A schema: a text where its lines and columns, or its mistakes, are what is tested. */
export type SchemaSource = string | DocumentNode;

/** Schemas by the names of their subgraphs. */
export type Schemas = Readonly<Record<string, SchemaSource>>;

/** The text of a schema. */
export function sdlOf(schema: SchemaSource): string {
  return typeof schema === 'string' ? schema : print(schema);
}

/** Subgraphs with addresses and files that are named after them. */
export function subgraphsOf(schemas: Schemas): readonly SubgraphSchema[] {
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    routingUrl: `http://${name}.example/graphql`,
    sdl: sdlOf(schema),
    source: `${name}.graphql`,
  }));
}

/** Composes schemas. */
export function composeSchemas(schemas: Schemas): Composition {
  return composeSubgraphs(subgraphsOf(schemas));
}

/** The supergraph of schemas that compose. @throws Error with what is wrong, where they do not */
export function supergraphOf(schemas: Schemas): string {
  const composition = composeSchemas(schemas);
  if (composition.kind === 'failed') throw new Error(composition.errors.map(formatDiagnostic).join('\n'));
  return composition.supergraphSdl;
}

/** What is wrong with schemas that do not compose. @throws Error where they do */
export function errorsOf(schemas: Schemas): readonly string[] {
  const composition = composeSchemas(schemas);
  if (composition.kind === 'composed') throw new Error('It composed.');
  return composition.errors.map(formatDiagnostic);
}
