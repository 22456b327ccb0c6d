import { buildSubgraphSchema } from '@apollo/subgraph';
import { own } from '@trellis/runtime/own-property';
import {
  execute,
  parse,
  validate,
  type ExecutionResult,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql';
import { isMockedId, mockValue, SEED, seedOfReference } from './mock-value.ts';

/** A subgraph that has values for all its fields. */
export interface MockedSubgraph {
  /** @param body of a request, read as JSON */
  execute(body: unknown): Promise<ExecutionResult>;
}

/**
 * Makes a subgraph of a schema alone. Its values are made from the names of types and fields and from ids: an object is the same in
 * each response, after each start, and in each subgraph that is mocked.
 *
 * @returns nothing where the text is no schema of a subgraph
 */
export function mockSubgraph(sdl: string): MockedSubgraph | undefined {
  const schema = tryBuild(sdl);
  return schema && { execute: async (body) => run(schema, body) };
}

function tryBuild(sdl: string): GraphQLSchema | undefined {
  try {
    return buildSubgraphSchema({ typeDefs: parse(sdl) });
  } catch {
    return undefined; // composition says what is wrong
  }
}

interface RequestBody {
  readonly query?: unknown;
  readonly variables?: Readonly<Record<string, unknown>> | null;
  readonly operationName?: string | null;
}

async function run(schema: GraphQLSchema, body: unknown): Promise<ExecutionResult> {
  const { query, variables, operationName } = (body ?? {}) as RequestBody; // the gateway sends it
  const document = parse(String(query));
  const errors = validate(schema, document);
  if (errors.length > 0) return { errors };
  return execute({
    schema,
    document,
    variableValues: variables,
    operationName,
    fieldResolver,
  });
}

type Source = Readonly<Record<string, unknown>> & { readonly [SEED]?: string };

/** Made here, or a reference that the gateway has sent. */
function seedOf(source: Source): string {
  return source[SEED] ?? seedOfReference(source);
}

/** Fields of the specification have resolvers of their own; objects and references come with their `__typename`. */
const fieldResolver: GraphQLFieldResolver<unknown, unknown, Readonly<Record<string, unknown>>> = (
  parent,
  args,
  _context,
  { fieldName, parentType, returnType, schema },
) => {
  const source = parent as Source | undefined; // made here, or a reference that the gateway sent
  const present = source && own(source, fieldName);
  if (present !== undefined) return present;
  const seed = source ? seedOf(source) : parentType.name;
  const given = Object.keys(args).length > 0 ? JSON.stringify(args) : '';
  const id = isMockedId(args['id']) ? args['id'] : undefined;
  return mockValue(returnType, { schema, seed: `${seed}.${fieldName}${given}`, fieldName, id });
};
