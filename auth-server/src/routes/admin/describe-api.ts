import { z } from 'zod';
import { allOperations, type OperationFeatures } from './operations.ts';
import type { AnyOperation } from './admin-operation.ts';

type Operation = AnyOperation<OperationFeatures>;
type Json = Readonly<Record<string, unknown>>;

const error = {
  type: 'object',
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  required: ['error'],
};

const ERRORS: Json = {
  '400': describeError('What was sent is not acceptable.'),
  '401': describeError(
    'The token is missing or not valid here, or the user has to sign in again (RFC 9470).',
  ),
  '403': describeError('The token lacks the scope.'),
  '404': describeError('There is no such thing.'),
  '409': describeError('It contradicts what exists, or was changed since it was read.'),
  '429': describeError('Too many requests; wait for as long as Retry-After says.'),
  '503': describeError('A store is unavailable; try again.'),
};

/**
 * The description of the admin API. It is made from the operations themselves.
 *
 * @param issuer undefined for the description that does not belong to one installation
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function describeApi(issuer?: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of allOperations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[operation.method.toLowerCase()] = describeOperation(operation);
  }
  const scopes = allOperations.map(({ scope }) => [scope, scope] as const);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Admin API of the auth-server',
      version: '1',
      description:
        'For tokens with the audience of this API and the scope that the operation names, or auth:admin.',
    },
    servers: [{ url: `${issuer ?? 'https://id.example'}/admin` }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: `${issuer ?? 'https://id.example'}/token`,
              scopes: Object.fromEntries([...scopes, ['auth:admin', 'everything']]),
            },
          },
        },
      },
      schemas: { Error: error },
    },
  };
}

function describeOperation(operation: Operation): Json {
  const { id, summary, scope, input } = operation;
  return {
    operationId: id,
    summary,
    security: [{ token: [scope] }],
    parameters: parametersOf(operation),
    ...(input && {
      requestBody: { content: json(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })) },
    }),
    responses: { ...responsesOf(operation), ...ERRORS },
  };
}

function parametersOf({ path, query = {} }: Operation): readonly Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery];
}

function responsesOf({ statuses, output }: Operation): Json {
  const content = output && json(z.toJSONSchema(output));
  return Object.fromEntries(
    statuses.map((status) => [status, { description: 'Done.', ...(content && { content }) }]),
  );
}

function describeError(description: string): Json {
  return { description, content: json({ $ref: '#/components/schemas/Error' }) };
}

/** The dialect is the one of OpenAPI 3.1. */
function json(schema: object): Json {
  const { $schema: _dialect, ...rest } = schema as Json;
  return { 'application/json': { schema: rest } };
}
