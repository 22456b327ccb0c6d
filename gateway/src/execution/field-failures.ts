import { internalFailure, type Failure, type FailureReason } from './failure.ts';
import type { Denial } from '../operation/access/denial.ts';
import type { FieldShape } from '../plan/response-shape.ts';

/** Stands where no subgraph brought anything. */
export function missing(field: FieldShape): Failure {
  return internalFailure(`No subgraph answered the field ${field.parentType}.${field.fieldName}.`);
}

function reasonOf(message: string): FailureReason {
  return { message, extensions: { code: 'INTERNAL_SERVER_ERROR' }, below: [], cause: undefined };
}

/** Nobody can say which fields it has. */
export const unknownType: FailureReason = reasonOf(
  'A subgraph answered an object whose type is not known here.',
);

/** GraphQL §6.4.3: a field error. */
export function nullReason(field: FieldShape): FailureReason {
  return reasonOf(`Cannot return null for non-nullable field ${field.parentType}.${field.fieldName}.`);
}

/** @param expected the type in the schema, or `list` */
export function wrongTypeReason(field: FieldShape, expected: string): FailureReason {
  return reasonOf(
    `Expected a value of type ${expected} for the field ${field.parentType}.${field.fieldName}.`,
  );
}

/** The caller may not see the field, or the object. */
export function denialReason({ code, message }: Denial): FailureReason {
  return { message, extensions: { code }, below: [], cause: undefined };
}
