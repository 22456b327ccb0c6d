import { Kind, type DirectiveNode, type FieldNode, type SelectionNode, type ValueNode } from 'graphql';

/** The directives that are decided when variables are coerced. They are not sent to subgraphs. */
const DECIDED: ReadonlySet<string> = new Set(['skip', 'include', 'defer', 'stream', 'live']);

/** Whether the gateway decides a directive; then it is not sent to subgraphs. */
export function isDecided({ name }: DirectiveNode): boolean {
  return DECIDED.has(name.value);
}

/** A variable that a selection depends on, and what it has to be. */
export interface Condition {
  readonly variable: string;
  readonly isOn: boolean;
}

/** When a selection is asked for: always, never, or where all of some conditions are met. */
export type Inclusion = boolean | readonly Condition[];

/** When `@skip` and `@include` leave a selection in. */
export function inclusionOf({ directives }: SelectionNode): Inclusion {
  if (!directives || directives.length === 0) return true;
  const conditions: Condition[] = [];
  for (const directive of directives) {
    const name = directive.name.value;
    if (name !== 'skip' && name !== 'include') continue;
    const held = holdingOf(directive);
    const isOn = name === 'include';
    if (typeof held === 'string') conditions.push({ variable: held, isOn });
    else if (held !== isOn) return false;
  }
  return conditions.length === 0 || conditions;
}

/** Whether a directive is on, or the name of the variable that says so. One that gives no condition is on. */
export function holdingOf(directive: DirectiveNode): boolean | string {
  const value = conditionOf(directive);
  if (value?.kind === Kind.VARIABLE) return value.name.value;
  return value?.kind === Kind.BOOLEAN ? value.value : value === undefined;
}

/** The `@defer` of a fragment, on or off. */
export function deferDirectiveOf({ directives }: SelectionNode): DirectiveNode | undefined {
  return directives?.find(({ name }) => name.value === 'defer');
}

/** The `@stream` of a field, on or off. */
export function streamDirectiveOf({ directives }: FieldNode): DirectiveNode | undefined {
  return directives?.find(({ name }) => name.value === 'stream');
}

/** How many items of a streamed list come at once: a number, or the name of the variable that says so. */
export function initialCountOf(directive: DirectiveNode): number | string {
  const value = directive.arguments?.find(({ name }) => name.value === 'initialCount')?.value;
  if (value?.kind === Kind.VARIABLE) return value.name.value;
  return value?.kind === Kind.INT ? Number(value.value) : 0;
}

/** What a directive is conditional on; nothing where it is on in any case. */
function conditionOf(directive: DirectiveNode): ValueNode | undefined {
  return directive.arguments?.find(({ name }) => name.value === 'if')?.value;
}

/** The `label` of a `@defer` or `@stream`: a literal by the rules of validation. */
export function deferLabel(directive: DirectiveNode): string | undefined {
  const label = directive.arguments?.find(({ name }) => name.value === 'label')?.value;
  return label?.kind === Kind.STRING ? label.value : undefined;
}
