import { clientError } from '@trellis/subgraph-protocol';
import { GraphQLScalarType, valueFromASTUntyped, type ValueNode } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { fieldOfLiteral } from './field-of-literal.ts';

/**
 * A moment: an ISO 8601 string in UTC with milliseconds on output, parsed from an RFC 3339 string on input. A Date holds
 * milliseconds, as our `timestamptz(3)` columns do, so what goes in comes out; digits beyond the third are cut off. What can't
 * be read is BAD_USER_INPUT with `invalidValue`, and `field` where it is a literal. See docs/contract.md#identity-and-time.
 */
export const dateTimeScalar: GraphQLScalarType<Date, string> = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A moment in UTC with milliseconds, as an ISO 8601 string: `2025-01-31T12:00:00.000Z`.',
  serialize: (value) => (value instanceof Date ? value.toISOString() : GraphQLDateTimeISO.serialize(value)),
  parseValue: (value) => readDateTime(value),
  parseLiteral: (node) => readDateTime(valueFromASTUntyped(node), node),
});

function readDateTime(value: unknown, literal?: ValueNode): Date {
  if (typeof value === 'string') {
    try {
      return new Date(GraphQLDateTimeISO.parseValue(value));
    } catch {
      // Not a date-time of RFC 3339: said below, without repeating the value in the message.
    }
  }
  // A variable's value does not know where it stands: the error formatter adds the field.
  const field = literal && fieldOfLiteral(literal);
  throw clientError(
    'BAD_USER_INPUT',
    'DateTime must be a date-time of RFC 3339, such as 2025-01-31T12:00:00Z.',
    { extensions: { ...(field !== undefined && { field }), invalidValue: value } },
  );
}
