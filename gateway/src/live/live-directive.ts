import { Kind, type DirectiveNode, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { ownVariable, type Variables } from '../planning/variables.ts';

/** The directive as clients see it. `throttle` is how rarely a client wants to hear of changes. */
export const LIVE_DIRECTIVE = `"Resolves the query again and again and sends what changed, over transports that can carry a stream."
directive @live(
  "Whether it has an effect."
  if: Boolean! = true
  "Milliseconds between two resolutions at least."
  throttle: Int
) on QUERY`;

interface NamedOperation {
  readonly document: DocumentNode;
  readonly name: string | undefined;
}

/** Whether an operation is a query that is to be kept live. */
export function isLive(operation: NamedOperation, variables: Variables): boolean {
  const directive = liveDirective(operation);
  return directive !== undefined && argumentOf(directive, 'if', variables) !== false;
}

/** The `throttle` of a live query, milliseconds; undefined where it has none. */
export function throttleOf(operation: NamedOperation, variables: Variables): number | undefined {
  const directive = liveDirective(operation);
  const throttle = directive && argumentOf(directive, 'throttle', variables);
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

function argumentOf(directive: DirectiveNode, name: string, variables: Variables): unknown {
  const value = directive.arguments?.find((argument) => argument.name.value === name)?.value;
  if (value?.kind === Kind.VARIABLE) return ownVariable(variables, value.name.value);
  if (value?.kind === Kind.BOOLEAN) return value.value;
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}
