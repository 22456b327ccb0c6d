import { GraphQLScalarType } from 'graphql';
import { GraphQLJSON } from 'graphql-scalars';

/** What JSON can say (RFC 8259). */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** Any JSON value, in and out as it is. */
export const jsonScalar: GraphQLScalarType<JsonValue, JsonValue> = new GraphQLScalarType<
  JsonValue,
  JsonValue
>({
  name: 'JSON',
  description: 'Any JSON value.',
  serialize: (value) => GraphQLJSON.serialize(value) as JsonValue, // what the store holds came in as JSON
  parseValue: (value) => GraphQLJSON.parseValue(value) as JsonValue, // variables were parsed from JSON
  parseLiteral: (node, variables) => GraphQLJSON.parseLiteral(node, variables) as JsonValue, // literals have no other values
});
