import { print, stripIgnoredCharacters, visit, type DocumentNode } from 'graphql';
import type { FetchStep } from '../plan/plan-steps.ts';

/** A fetch that asks something else, by those of its variables that this takes. It shares no call with others any more. */
export function withOperation(step: FetchStep, document: DocumentNode): FetchStep {
  const used = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  const declared = visit(document, {
    VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
  });
  const operation = stripIgnoredCharacters(print(declared));
  return {
    ...step,
    operation,
    bodyStart: step.bodyStart.replace(JSON.stringify(step.operation), () => JSON.stringify(operation)),
    variableNames: step.variableNames.filter((name) => used.has(name)),
    mergeKey: undefined,
  };
}
