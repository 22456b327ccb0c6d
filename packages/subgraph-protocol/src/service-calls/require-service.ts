import { bearerTokenOf } from '@trellis/runtime/bearer-token';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceTokenVerifier } from './service-token.ts';

/** A Fastify hook that lets pass or answers. */
export type ServiceGuard = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | undefined>;

/**
 * Lets only named services pass: 401 without a valid token, 403 for a service that is not on the list.
 *
 * @param callers who may call
 */
export function requireService(verifier: ServiceTokenVerifier, callers: readonly string[]): ServiceGuard {
  return async (request, reply) => {
    try {
      const caller = await verifier.verify(bearerTokenOf(request.headers.authorization));
      return callers.includes(caller) ? undefined : reply.status(403).send({ error: 'forbidden' });
    } catch (error) {
      request.log.warn(
        { err: error, requestId: request.id },
        'rejected a call without a valid service token',
      );
      return reply.status(401).send({ error: 'unauthenticated' });
    }
  };
}
