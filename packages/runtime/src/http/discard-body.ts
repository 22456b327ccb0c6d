import type { FastifyReply, FastifyRequest } from 'fastify';

/** Of a rejected body, at most: what is longer costs its client the connection. */
const MAX_DISCARDED_BYTES = 16_777_216;

/**
 * Has a body that was rejected for its length arrive and be discarded. A connection that is closed while bytes arrive is reset, and its
 * client may never read the response (RFC 9112 §9.6). The request's time-out bounds how long that takes.
 *
 * @param reply not sent yet
 */
export function discardBody({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (Number(headers['content-length']) <= MAX_DISCARDED_BYTES) void reply.removeHeader('connection');
}
