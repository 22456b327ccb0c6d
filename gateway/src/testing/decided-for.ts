import type { DocumentNode } from 'graphql';
import type { Decided, Variables } from '../operation/document/decided-conditions.ts';
import type { Overrides } from '../operation/conditions/override-labels.ts';
import { plannableFor } from './plannable-for.ts';

/** Decides the conditions of an operation, as the pipeline does when it has coerced the variables. */
export function decidedFor(
  document: DocumentNode,
  variables: Variables = {},
  operationName?: string,
  overrides?: Overrides,
): Decided {
  return plannableFor(document, operationName, overrides).decide(variables);
}
