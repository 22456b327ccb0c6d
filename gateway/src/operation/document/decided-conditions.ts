import { badUserInput } from '@trellis/subgraph-protocol';
import { Kind, type DirectiveNode, type SelectionNode } from 'graphql';
import { RequestRefused } from '../../errors.ts';
import { conditionOf } from './decided-directives.ts';
import type { ConditionVariable, OperationFacts } from './document-facts.ts';
import { overrideLabelsFor, type Overrides } from './override-labels.ts';
import { ownVariable, type Variables } from './variables.ts';

/** Decides the conditions of one operation. @throws RequestRefused BAD_USER_INPUT where one of them is null */
export type DecideConditions = (variables: Variables) => Decided;

/** What is known of the conditions of an operation before its variables are. */
interface Undecided {
  readonly conditionVariables: readonly ConditionVariable[];
  readonly live: DirectiveNode | undefined;
}

/**
 * How the conditions of one operation were decided for one request: `@skip`, `@include`, `@defer(if:)`, `@live(if:)`, and which
 * progressive overrides are on. It is made once, when variables are coerced. Cost, limits, plan, cache hints, introspection
 * and streams read it, and none of them reads a variable for a condition: so what one counts is what the other asks for.
 */
class DecidedConditions {
  /** Names the decision among all of the same operation. Empty where nothing was to be decided. */
  readonly key: string;
  /** Labels of progressive overrides that are on. */
  readonly overrideLabels: readonly string[];
  /** Whether the query is to be kept live. */
  readonly isLive: boolean;
  readonly #on: ReadonlySet<string>;

  constructor({ conditionVariables, live }: Undecided, on: ReadonlySet<string>, labels: readonly string[]) {
    this.#on = on;
    this.overrideLabels = labels;
    const bits = conditionVariables.map(({ name }) => (on.has(name) ? '1' : '0')).join('');
    this.key = labels.length === 0 ? bits : `${bits} ${JSON.stringify(labels)}`;
    this.isLive = live !== undefined && this.#holds(live);
  }

  /** Whether `@skip` and `@include` leave a selection in. */
  includes({ directives }: SelectionNode): boolean {
    if (!directives || directives.length === 0) return true;
    return directives.every((directive) => {
      const name = directive.name.value;
      if (name === 'skip') return !this.#holds(directive);
      return name !== 'include' || this.#holds(directive);
    });
  }

  /** The `@defer` of a fragment, when it is there and on. */
  deferOf({ directives }: SelectionNode): DirectiveNode | undefined {
    const directive = directives?.find(({ name }) => name.value === 'defer');
    return directive && this.#holds(directive) ? directive : undefined;
  }

  /** A directive that gives no condition is on. */
  #holds(directive: DirectiveNode): boolean {
    const value = conditionOf(directive);
    if (value?.kind === Kind.VARIABLE) return this.#on.has(value.name.value);
    return value?.kind === Kind.BOOLEAN ? value.value : value === undefined;
  }
}

export type { DecidedConditions as Decided };
type Decided = DecidedConditions;

const NOTHING_ON: ReadonlySet<string> = new Set();
const NO_LABELS: readonly string[] = [];

/**
 * Prepares deciding the conditions of an operation. Where it has none, every request gets the same decision.
 *
 * @param overrides absent where no progressive override is to be on
 */
export function compileDecision(facts: OperationFacts, overrides?: Overrides): DecideConditions {
  const undecided: Undecided = { conditionVariables: facts.conditionVariables, live: liveOf(facts) };
  const labelsOf = overrides && overrideLabelsFor(facts, overrides);
  if (undecided.conditionVariables.length === 0 && !labelsOf) {
    const decided = new DecidedConditions(undecided, NOTHING_ON, NO_LABELS);
    return () => decided;
  }
  return (variables) =>
    new DecidedConditions(undecided, variablesOn(undecided, variables), labelsOf?.() ?? NO_LABELS);
}

function liveOf({ operation }: OperationFacts): DirectiveNode | undefined {
  return operation.directives?.find(({ name }) => name.value === 'live');
}

function variablesOn({ conditionVariables }: Undecided, variables: Variables): ReadonlySet<string> {
  const on = new Set<string>();
  for (const variable of conditionVariables) {
    const value = ownVariable(variables, variable.name) ?? absentValueOf(variable, variables);
    if (typeof value !== 'boolean') throw nullCondition(variable.name);
    if (value) on.add(variable.name);
  }
  return on;
}

/** What a variable that was not given counts as; null is a value that was given. */
function absentValueOf({ name, isOptional }: ConditionVariable, variables: Variables): true | undefined {
  return isOptional && !Object.hasOwn(variables, name) ? true : undefined;
}

function nullCondition(name: string): RequestRefused {
  const message = `Variable "$${name}" decides a condition, so it must be true or false.`;
  return new RequestRefused([badUserInput(message, name, null)]);
}
