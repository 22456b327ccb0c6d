import type { SelectedField } from '../fold/selection-fold.ts';
import { add, multiply, roundUp, type Cost } from './cost-term.ts';
import { IntrospectionPart, type IntrospectionRoots } from './introspection-part.ts';
import { isList } from './list-length.ts';
import { costAt, DependentCost, type SelectionCost } from './selection-cost.ts';

/** Of one value: 250 of them take a thread some 0.2 ms. */
const VALUE_COST = 0.004;

/** What `__schema`, `__type` or `__service` costs: 1 for each 250 values of the response, and 1 at least. */
export function costOfQuestion(
  field: SelectedField,
  below: SelectionCost,
  roots: IntrospectionRoots,
): SelectionCost {
  return roundUp(multiply(VALUE_COST, valuesOfQuestion(field, below, roots)));
}

/** How many values `__schema`, `__type` or `__service` has at most. Each object, list, leaf and null is a value. */
export function valuesOfQuestion(
  { node }: SelectedField,
  below: SelectionCost,
  roots: IntrospectionRoots,
): Cost {
  const part = roots[node.name.value as keyof IntrospectionRoots]; // by the names of fields that are questions
  return add(1, costAt(below, part));
}

/** Whether a field is one of the types that introspection has. */
export function isWithinQuestion({ parent }: SelectedField): boolean {
  return parent?.name.startsWith('__') === true;
}

/** How many values a field within a question has at most. */
export function valuesOfField({ node, definition }: SelectedField, below: SelectionCost): SelectionCost {
  if (!definition) return 1; // __typename
  const ofList = isList(definition.type) ? 1 : 0;
  return new DependentCost((above) => {
    const lead = above instanceof IntrospectionPart ? above.below(node.name.value) : undefined;
    return lead ? add(1, multiply(lead.count, add(ofList, costAt(below, lead.part)))) : 1;
  });
}
