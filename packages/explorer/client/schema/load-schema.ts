import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import type { GraphResult } from '../operation/graph-result.ts';

/** Asks a graph for its schema. @throws Error with the reason */
export async function loadSchema(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<GraphQLSchema> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery({ inputValueDeprecation: true }) }),
    signal,
  });
  const { data, errors } = (await response.json()) as GraphResult;
  if (!data) throw new Error(errors?.[0]?.message ?? `${response.status}`);
  return buildClientSchema(data as IntrospectionQuery); // as the query asks
}
