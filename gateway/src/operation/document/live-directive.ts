import {
  Kind,
  type DirectiveNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { ownVariable, type Variables } from './variables.ts';

interface NamedOperation {
  readonly document: DocumentNode;
  readonly name: string | undefined;
}

/** The `throttle` of a live query, milliseconds; undefined where it has none. */
export function throttleOf(operation: NamedOperation, variables: Variables): number | undefined {
  const directive = liveDirective(operation);
  const value = directive?.arguments?.find((argument) => argument.name.value === 'throttle')?.value;
  const throttle =
    value?.kind === Kind.VARIABLE ? ownVariable(variables, value.name.value) : literalOf(value);
  return typeof throttle === 'number' ? throttle : undefined;
}

function liveDirective({ document, name }: NamedOperation): DirectiveNode | undefined {
  return document.definitions
    .find((definition): definition is OperationDefinitionNode => isOperation(definition, name))
    ?.directives?.find((directive) => directive.name.value === 'live');
}

function isOperation(definition: DocumentNode['definitions'][number], name: string | undefined): boolean {
  return (
    definition.kind === Kind.OPERATION_DEFINITION && (name === undefined || definition.name?.value === name)
  );
}

function literalOf(value: ValueNode | undefined): number | undefined {
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}
