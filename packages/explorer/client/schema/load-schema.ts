import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import type { FactsByField } from './field-facts.ts';
import type { GraphResult } from '../operation/graph-result.ts';

/** A schema, and what the gateway says of its fields. */
export interface LoadedSchema {
  readonly schema: GraphQLSchema;
  readonly facts: FactsByField;
}

/** Asks a graph for its schema. @throws Error with the reason */
export async function loadSchema(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<LoadedSchema> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json',
      'trellis-explain': 'schema',
    },
    body: JSON.stringify({ query: getIntrospectionQuery({ inputValueDeprecation: true }) }),
    signal,
  });
  const { data, errors, extensions } = (await response.json()) as GraphResult;
  if (!data) throw new Error(errors?.[0]?.message ?? `${response.status}`);
  const facts = (extensions?.['fields'] ?? {}) as FactsByField; // the gateway describes them
  return { schema: buildClientSchema(data as IntrospectionQuery), facts }; // as the query asks
}
