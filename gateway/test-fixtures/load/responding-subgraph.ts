import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  buildASTSchema,
  execute,
  extendSchema,
  getNullableType,
  isAbstractType,
  isEnumType,
  isListType,
  isObjectType,
  parse,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLTypeResolver,
} from 'graphql';
import { gql } from 'graphql-tag';

/** A server that answers what any subgraph of a supergraph is asked, with invented data. */
export interface RespondingSubgraph {
  readonly url: string;
  close(): void;
}

/** Members of each list. */
const LENGTH = 2;

/** Starts it on a free port. */
export async function startRespondingSubgraph(supergraph: string): Promise<RespondingSubgraph> {
  const schema = withEntities(buildASTSchema(parse(supergraph), { assumeValid: true }));
  const result = async (body: string): Promise<string> => {
    const { query, variables } = JSON.parse(body) as {
      readonly query: string;
      readonly variables?: Readonly<Record<string, unknown>>;
    };
    const document = parse(query, { noLocation: true });
    return JSON.stringify(
      await execute({
        schema,
        document,
        rootValue: {},
        variableValues: variables,
        fieldResolver,
        typeResolver,
      }),
    );
  };
  const server = createServer((request, response) => {
    void text(request)
      .then(result)
      .then((body) => response.setHeader('content-type', 'application/json').end(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    close: () => (server.close(), server.closeAllConnections()),
  };
}

function withEntities(schema: GraphQLSchema): GraphQLSchema {
  const names = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .map(({ name }) => name);
  const federation = gql`
    scalar _Any
    extend type Query { _entities(representations: [_Any!]!): [_Entity]! }
    union _Entity = ${names.join(' | ')}
  `;
  return extendSchema(schema, federation, { assumeValid: true });
}

const fieldResolver: GraphQLFieldResolver<Readonly<Record<string, unknown>>, unknown> = (
  source,
  { representations },
  _context,
  { fieldName, returnType },
) => {
  if (fieldName === '_entities') return representations as unknown;
  return Object.hasOwn(source, fieldName) ? source[fieldName] : invent(returnType);
};

const typeResolver: GraphQLTypeResolver<Readonly<Record<string, unknown>>, unknown> = (
  value,
  _context,
  { schema },
  type,
) => (typeof value['__typename'] === 'string' ? value['__typename'] : schema.getPossibleTypes(type)[0]?.name);

function invent(type: GraphQLOutputType): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return Array.from({ length: LENGTH }, () => invent(nullable.ofType));
  if (isObjectType(nullable) || isAbstractType(nullable)) return { id: 'id-1' };
  if (isEnumType(nullable)) return nullable.getValues()[0]?.value;
  switch (nullable.name) {
    case 'Int':
    case 'Float':
      return 7;
    case 'Boolean':
      return true;
    case 'DateTime':
      return '2026-01-01T00:00:00.000Z';
    default:
      return 'text';
  }
}
