import { Kind, type DirectiveNode, type OperationDefinitionNode, type ValueNode } from 'graphql';
import { ownVariable, type Variables } from './decided-conditions.ts';

/** The `throttle` of a live query, milliseconds; undefined where it has none. */
export type ThrottleOf = (variables: Variables) => number | undefined;

/** The `@live` of an operation, on or off. */
export function liveDirectiveOf({ directives }: OperationDefinitionNode): DirectiveNode | undefined {
  return directives?.find(({ name }) => name.value === 'live');
}

/** Prepares reading how often a live query is resolved. */
export function compileThrottle(operation: OperationDefinitionNode): ThrottleOf {
  const given = liveDirectiveOf(operation)?.arguments;
  const value = given?.find(({ name }) => name.value === 'throttle')?.value;
  if (value?.kind !== Kind.VARIABLE) {
    const throttle = literalOf(value);
    return () => throttle;
  }
  const name = value.name.value;
  return (variables) => {
    const throttle = ownVariable(variables, name);
    return typeof throttle === 'number' ? throttle : undefined;
  };
}

function literalOf(value: ValueNode | undefined): number | undefined {
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}
