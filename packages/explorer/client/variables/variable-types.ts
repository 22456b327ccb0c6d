import { type GraphQLInputType, type GraphQLSchema, isInputType, typeFromAST } from 'graphql';
import { operationOf } from '../operation/operation-request.ts';

/** A variable of an operation. */
export interface OperationVariable {
  readonly name: string;
  readonly type: GraphQLInputType;
}

/** The variables of an operation whose types the schema has. */
export function variablesOf(
  query: string,
  operationName: string | undefined,
  schema: GraphQLSchema,
): readonly OperationVariable[] {
  const definitions = operationOf(query, operationName)?.variableDefinitions ?? [];
  return definitions.flatMap(({ variable, type: node }) => {
    const type = typeFromAST(schema, node as never); // any of the three kinds of types
    return type && isInputType(type) ? [{ name: variable.name.value, type }] : [];
  });
}

/** Variables with one value more, or one less where there is none. */
export function withValue(
  values: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const rest = Object.entries(values).filter(([other]) => other !== name);
  return Object.fromEntries(value === undefined ? rest : [...rest, [name, value]]);
}
