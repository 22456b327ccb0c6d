import { Kind, type DirectiveNode, type SelectionNode, type ValueNode } from 'graphql';
import { ownVariable, type Variables } from './variables.ts';

/** Whether `@skip` and `@include` leave a selection in. */
export function isIncluded(selection: SelectionNode, variables: Variables): boolean {
  const { directives } = selection;
  if (!directives || directives.length === 0) return true;
  return (
    !conditionOf(directives, 'skip', variables, false) && conditionOf(directives, 'include', variables, true)
  );
}

/** The `@defer` of a fragment, when it is there and on. */
export function activeDefer(selection: SelectionNode, variables: Variables): DirectiveNode | undefined {
  const directive = selection.directives?.find(({ name }) => name.value === 'defer');
  return directive && ifArgument(directive, variables, true) ? directive : undefined;
}

/** The `label` of a `@defer`: a literal by the rules of validation. */
export function deferLabel(directive: DirectiveNode): string | undefined {
  const label = directive.arguments?.find(({ name }) => name.value === 'label')?.value;
  return label?.kind === Kind.STRING ? label.value : undefined;
}

function conditionOf(
  directives: readonly DirectiveNode[],
  name: string,
  variables: Variables,
  otherwise: boolean,
): boolean {
  const directive = directives.find((candidate) => candidate.name.value === name);
  return directive ? ifArgument(directive, variables, otherwise) : otherwise;
}

function ifArgument(directive: DirectiveNode, variables: Variables, otherwise: boolean): boolean {
  const value = directive.arguments?.find(({ name }) => name.value === 'if')?.value;
  return value ? booleanOf(value, variables) : otherwise;
}

function booleanOf(value: ValueNode, variables: Variables): boolean {
  if (value.kind === Kind.BOOLEAN) return value.value;
  return value.kind === Kind.VARIABLE && ownVariable(variables, value.name.value) === true;
}
