import { getOperationAST, print, type DocumentNode } from 'graphql';
import type { Overrides } from '../operation/conditions/override-labels.ts';
import { fragmentsOf } from '../operation/document/parse-operation.ts';
import { sha256 } from '../operation/document/sha256.ts';
import { Analyzer } from '../operation/fold/selection-fold.ts';
import { planningAnalyses } from '../operation/operation-analyses.ts';
import { createPlannable, type PlannableOperation } from '../operation/operation.ts';

/**
 * What planning reads of an operation that was neither validated nor measured.
 *
 * @param operationName may be absent where the document holds one
 */
export function plannableFor(
  document: DocumentNode,
  operationName?: string,
  overrides?: Overrides,
): PlannableOperation {
  const definition = getOperationAST(document, operationName);
  if (!definition) throw new TypeError('The document has no operation of this name.');
  const fragments = fragmentsOf(document);
  const analyzer = new Analyzer(planningAnalyses(overrides?.labels ?? new Map()));
  const found = analyzer.fold({ fragments }).ofOperation(definition.selectionSet, undefined);
  const documentHash = sha256(document.loc?.source.body ?? print(document));
  return createPlannable({ definition, fragments, documentHash, found }, overrides);
}
