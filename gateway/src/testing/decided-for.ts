import type { DocumentNode } from 'graphql';
import { compileDecision, type Decided } from '../operation/document/decided-conditions.ts';
import { operationFacts } from '../operation/document/document-facts.ts';
import type { Overrides } from '../operation/document/override-labels.ts';
import type { Variables } from '../operation/document/variables.ts';

/** Decides the conditions of an operation, as the pipeline does when it has coerced the variables. */
export function decidedFor(
  document: DocumentNode,
  variables: Variables = {},
  operationName?: string,
  overrides?: Overrides,
): Decided {
  return compileDecision(operationFacts(document, operationName), overrides)(variables);
}
