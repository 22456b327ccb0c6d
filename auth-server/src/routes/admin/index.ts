import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptJson } from '../../http/accept-json.ts';
import { addEndpoint, type RouteHandler } from '../../http/endpoint.ts';
import { queryParameters } from '../../http/request-parameters.ts';
import { authorized, parameterOf, type AuthorizedFeatures } from './admin-context.ts';
import { perform, type AnyOperation } from './admin-operation.ts';
import { describeApi } from './describe-api.ts';
import { allOperations, type OperationFeatures } from './operations.ts';

/** What the admin API works with. */
export type AdminApiFeatures = AuthorizedFeatures & OperationFeatures;

/** The admin API: JSON, for tokens with its own audience and scopes. Everything that it does is in the audit log. */
export function addAdminRoutes(server: FastifyInstance, features: AdminApiFeatures): void {
  acceptJson(server);
  const byPath = new Map<string, Record<string, RouteHandler>>();
  for (const operation of allOperations) {
    const handlers = byPath.get(operation.path) ?? {};
    handlers[operation.method] = handlerOf(operation, features);
    byPath.set(operation.path, handlers);
  }
  for (const [path, handlers] of byPath) addEndpoint(server, path, handlers);
  const description = describeApi(features.settings.issuer);
  addEndpoint(server, '/openapi.json', { GET: (_request, reply) => reply.send(description) });
}

function handlerOf(operation: AnyOperation<OperationFeatures>, features: AdminApiFeatures): RouteHandler {
  return authorized(features, operation.scope, async (request, reply, administrator) => {
    const {
      status,
      body,
      headers = {},
    } = await perform(features, operation, {
      administrator,
      path: pathOf(operation.path, request),
      query: queryParameters(request),
      body: request.body,
      ifMatch: request.headers['if-match'],
    });
    return reply.status(status).headers(headers).send(body);
  });
}

function pathOf(path: string, request: FastifyRequest): Readonly<Record<string, string>> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, parameterOf(request, name)]));
}
