import { Kind, type DirectiveNode, type SelectionNode, type ValueNode } from 'graphql';

/** The directives that are decided when variables are coerced. No subgraph is told of them. */
const DECIDED: ReadonlySet<string> = new Set(['skip', 'include', 'defer', 'live']);

/** Whether a directive is decided by the gateway: then nobody else is told of it. */
export function isDecided({ name }: DirectiveNode): boolean {
  return DECIDED.has(name.value);
}

/** Whether it depends on a decision that a selection is asked for. */
export function isConditional({ directives = [] }: SelectionNode): boolean {
  return directives.some(({ name }) => name.value === 'skip' || name.value === 'include');
}

/** What a directive is conditional on; nothing where it is on in any case. */
export function conditionOf(directive: DirectiveNode): ValueNode | undefined {
  return directive.arguments?.find(({ name }) => name.value === 'if')?.value;
}

/** The `label` of a `@defer`: a literal by the rules of validation. */
export function deferLabel(directive: DirectiveNode): string | undefined {
  const label = directive.arguments?.find(({ name }) => name.value === 'label')?.value;
  return label?.kind === Kind.STRING ? label.value : undefined;
}
