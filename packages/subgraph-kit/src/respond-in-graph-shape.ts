import { GraphQLError } from 'graphql';
import { discardBody } from '@trellis/runtime';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** Answers what fails before GraphQL is reached (a body that is no JSON, or too large) in the shape of GraphQL. */
export function respondInGraphShape(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const status = error.statusCode ?? statusOf(error);
  const rejected = status < 500;
  if (!rejected) request.log.error({ err: error, requestId: request.id }, 'a request failed outside GraphQL');
  if (status === 413) discardBody(request, reply);
  const own = error instanceof GraphQLError ? error.extensions['code'] : undefined;
  const code = rejected ? (own ?? 'GRAPHQL_VALIDATION_FAILED') : 'INTERNAL_SERVER_ERROR';
  const message = rejected ? error.message : 'Something failed inside.';
  return reply.status(status).send({ errors: [{ message, extensions: { code } }] });
}

/** Of what rejects a request before its body is read. */
function statusOf(error: Error): number {
  const http = error instanceof GraphQLError ? error.extensions['http'] : undefined;
  const status = typeof http === 'object' && http !== null && 'status' in http ? http.status : undefined;
  return typeof status === 'number' ? status : 500;
}
