import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';

/**
 * A moment: an ISO 8601 string in UTC with milliseconds on output, parsed from an RFC 3339 string on input. A Date holds
 * milliseconds, as our `timestamptz(3)` columns do, so what goes in comes out; digits beyond the third are cut off.
 * Specification: Scalars.
 */
export const dateTimeScalar: GraphQLScalarType<Date, string> = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A moment in UTC with milliseconds, as an ISO 8601 string: `2025-01-31T12:00:00.000Z`.',
  serialize: (value) => (value instanceof Date ? value.toISOString() : GraphQLDateTimeISO.serialize(value)),
  parseValue: (value) => toDate(GraphQLDateTimeISO.parseValue(value)),
  parseLiteral: (node, variables) => toDate(GraphQLDateTimeISO.parseLiteral(node, variables)),
});

function toDate(parsed: Date | string): Date {
  return parsed instanceof Date ? parsed : new Date(parsed);
}
