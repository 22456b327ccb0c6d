import { own } from '@trellis/runtime/own-property';
import { badUserInput } from '@trellis/subgraph-protocol/errors';
import {
  type DirectiveNode,
  type FieldNode,
  type SelectionNode,
  coerceInputValue,
  isInputType,
  isNonNullType,
  typeFromAST,
  valueFromAST,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { RequestError } from '../../errors.ts';
import {
  deferDirectiveOf,
  holdingOf,
  inclusionOf,
  streamDirectiveOf,
  type Inclusion,
} from './decided-directives.ts';

/** Decides the conditions of one operation. @throws RequestError BAD_USER_INPUT where one of them is null */
export type DecideConditions = (variables: Variables) => Decided;

/** A variable that decides conditions. */
export interface ConditionVariable {
  readonly name: string;
  /** Whether it need not be given: every condition that it decides holds then. */
  readonly isOptional: boolean;
  /** Whether it is no condition but a number of items, that of a `@stream`. It decides nothing of the plan. */
  readonly isCount?: true;
}

/** What is known of the conditions of an operation before its variables are. */
interface Undecided {
  readonly conditionVariables: readonly ConditionVariable[];
  /** Its `@live`. */
  readonly live: DirectiveNode | undefined;
  /** Chooses the progressive overrides of one run. Absent where none matters to the operation. */
  readonly chooseOverrides: (() => readonly string[]) | undefined;
}

/**
 * How the conditions of one operation were decided for one request: `@skip`, `@include`, `@defer(if:)`, `@stream(if:)`, `@live(if:)`, and which
 * progressive overrides are on. It is made once, when variables are coerced. Cost, limits, plan, cache hints, introspection
 * and streams read it, and none of them reads a variable for a condition: so what one counts is what the other asks for.
 */
class DecidedConditions {
  /** Names the decision among all of the same operation. Empty where nothing was to be decided. */
  readonly key: string;
  /** Labels of progressive overrides that are on. */
  readonly overrideLabels: readonly string[];
  /** Whether the query is to be stored live. */
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
  includes(selection: SelectionNode): boolean {
    return this.meets(inclusionOf(selection));
  }

  /** Whether all conditions of a selection are met. */
  meets(inclusion: Inclusion): boolean {
    if (typeof inclusion === 'boolean') return inclusion;
    return inclusion.every(({ variable, isOn }) => this.#on.has(variable) === isOn);
  }

  /** The `@defer` of a fragment, when present and enabled. */
  deferOf(selection: SelectionNode): DirectiveNode | undefined {
    const directive = deferDirectiveOf(selection);
    return directive && this.#holds(directive) ? directive : undefined;
  }

  /** The `@stream` of a field, when present and enabled. */
  streamOf(field: FieldNode): DirectiveNode | undefined {
    const directive = streamDirectiveOf(field);
    return directive && this.#holds(directive) ? directive : undefined;
  }

  /** Whether a variable that decides conditions is on. */
  isOn(variable: string): boolean {
    return this.#on.has(variable);
  }

  #holds(directive: DirectiveNode): boolean {
    const holding = holdingOf(directive);
    return typeof holding === 'string' ? this.#on.has(holding) : holding;
  }
}

export type { DecidedConditions as Decided };
type Decided = DecidedConditions;

const NOTHING_ON: ReadonlySet<string> = new Set();
const NO_LABELS: readonly string[] = [];

/** Prepares deciding the conditions of an operation. Where it has none, every request gets the same decision. */
export function compileDecision(undecided: Undecided): DecideConditions {
  const { conditionVariables, chooseOverrides } = undecided;
  if (conditionVariables.length === 0 && !chooseOverrides) {
    const decided = new DecidedConditions(undecided, NOTHING_ON, NO_LABELS);
    return () => decided;
  }
  return (variables) =>
    new DecidedConditions(undecided, variablesOn(undecided, variables), chooseOverrides?.() ?? NO_LABELS);
}

function variablesOn({ conditionVariables }: Undecided, variables: Variables): ReadonlySet<string> {
  const on = new Set<string>();
  for (const variable of conditionVariables) {
    const value = ownVariable(variables, variable.name) ?? absentValueOf(variable, variables);
    if (variable.isCount) {
      assertCount(variable.name, value);
      continue;
    }
    if (typeof value !== 'boolean') throw nullCondition(variable.name);
    if (value) on.add(variable.name);
  }
  return on;
}

/** What a variable that was not given counts as; null is a value that was given. */
function absentValueOf({ name, isOptional }: ConditionVariable, variables: Variables): true | undefined {
  return isOptional && !Object.hasOwn(variables, name) ? true : undefined;
}

function assertCount(name: string, value: unknown): void {
  if (value === true || (typeof value === 'number' && value >= 0)) return; // not given, or good
  const message = `Variable "$${name}" is the initialCount of a @stream, so it must be 0 or more.`;
  throw new RequestError([badUserInput(message, name, value ?? null)]);
}

function nullCondition(name: string): RequestError {
  const message = `Variable "$${name}" decides a condition, so it must be true or false.`;
  return new RequestError([badUserInput(message, name, null)]);
}

/** Turns the variables of a request into those of the operation. @throws RequestError BAD_USER_INPUT */
export type CoerceVariables = (given: Readonly<Record<string, unknown>>) => Variables;

interface DeclaredVariable {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Undefined where there is none. */
  readonly defaultValue: unknown;
  readonly required: boolean;
  /** Where it is declared. */
  readonly node: VariableDefinitionNode;
}

const MAX_ERRORS = 10;
const MAX_INVALID_VALUE_CHARACTERS = 500;
/** Those of an operation that declares none. */
export const NO_VARIABLES: Variables = Object.freeze(Object.create(null) as Record<string, unknown>);

/**
 * Stage: variables of the request → variables of the operation, by the types it declares, defaults applied. The result
 * has no prototype, and variables that are not declared are not in it. Types and defaults are looked up once.
 *
 * @see GraphQL specification, "Coercing Variable Values"
 */
export function compileVariables(
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  hideSuggestions: boolean,
): CoerceVariables {
  const declared = (operation.variableDefinitions ?? []).flatMap((definition) =>
    declaredVariable(definition, schema),
  );
  if (declared.length === 0) return () => NO_VARIABLES;
  return (given) => coerceAll(declared, given, hideSuggestions);
}

function declaredVariable(definition: VariableDefinitionNode, schema: GraphQLSchema): DeclaredVariable[] {
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) return []; // validation has rejected it before
  const defaultValue = definition.defaultValue && valueFromAST(definition.defaultValue, type);
  const required = isNonNullType(type) && defaultValue === undefined;
  return [{ name: definition.variable.name.value, type, defaultValue, required, node: definition }];
}

function coerceAll(
  declared: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
  hideSuggestions: boolean,
): Variables {
  const coerced = Object.create(null) as Record<string, unknown>;
  const errors: GraphQLError[] = [];
  for (const variable of declared) {
    if (Object.hasOwn(given, variable.name))
      coerced[variable.name] = coerceOne(variable, given[variable.name], errors, hideSuggestions);
    else if (variable.required) errors.push(missing(variable));
    else if (variable.defaultValue !== undefined) coerced[variable.name] = variable.defaultValue;
  }
  if (errors.length > 0) throw new RequestError(errors.slice(0, MAX_ERRORS));
  return coerced;
}

function missing({ name, type, node }: DeclaredVariable): GraphQLError {
  const message = `Variable "$${name}" of required type "${String(type)}" was not provided.`;
  return declaredAt(node, badUserInput(message, name, null));
}

function declaredAt(node: VariableDefinitionNode, { message, extensions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, { nodes: node, extensions });
}

function coerceOne(
  { name, type, node }: DeclaredVariable,
  value: unknown,
  errors: GraphQLError[],
  hideSuggestions: boolean,
): unknown {
  const onError = (path: readonly (string | number)[], invalidValue: unknown, error: GraphQLError): void => {
    if (errors.length >= MAX_ERRORS) return;
    const field = [name, ...path].join('.');
    const message = `Variable "$${field}": ${error.message}`;
    errors.push(declaredAt(node, badUserInput(message, field, presentable(invalidValue))));
  };
  return coerceInputValue(value, type, onError, hideSuggestions);
}

/** The value goes back to the client: whole when it is small. */
function presentable(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= MAX_INVALID_VALUE_CHARACTERS
    ? value
    : `${text.slice(0, MAX_INVALID_VALUE_CHARACTERS)}…`;
}

/** The variables of one request: coerced by the operation's definitions, defaults applied, read by own properties alone. */
export type Variables = Readonly<Record<string, unknown>>;

/** The value of a variable; `undefined` when it was not given. Never what an object inherits. */
export function ownVariable(variables: Variables, name: string): unknown {
  return own(variables, name);
}
