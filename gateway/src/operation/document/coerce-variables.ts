import { badUserInput } from '@trellis/subgraph-protocol';
import {
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
import type { Variables } from './variables.ts';

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
