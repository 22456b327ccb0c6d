import type { GraphErrorCode } from '@trellis/subgraph-protocol';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** Answers what fails before GraphQL is reached (a body that is no JSON, or too large) in the shape of GraphQL. */
export function respondInGraphShape(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const status = error.statusCode ?? 500;
  const rejected = status < 500;
  if (!rejected) request.log.error({ err: error, requestId: request.id }, 'a request failed outside GraphQL');
  const code: GraphErrorCode = rejected ? 'GRAPHQL_VALIDATION_FAILED' : 'INTERNAL_SERVER_ERROR';
  const message = rejected ? error.message : 'Something failed inside.';
  return reply.status(status).send({ errors: [{ message, extensions: { code } }] });
}
