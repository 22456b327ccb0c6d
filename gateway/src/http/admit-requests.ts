import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { overloaded } from '../errors.ts';
import type { Admission, RefusalReason } from '../traffic/admission.ts';

const beingAnswered = new WeakMap<ServerResponse, Admission>();

/**
 * Refuses requests that the process can't take, before anything of them is read but their headers.
 *
 * @param onRefused told of each, for metrics
 */
export function admitRequests(
  server: FastifyInstance,
  admission: Admission,
  paths: ReadonlySet<string>,
  onRefused: (reason: RefusalReason) => void,
): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!paths.has(request.routeOptions.url ?? '')) return done();
    const reason = admission.enter();
    if (reason === undefined) {
      beingAnswered.set(reply.raw, admission);
      reply.raw.once('close', () => endAdmission(reply.raw));
      return done();
    }
    onRefused(reason);
    return done(overloaded());
  });
  server.addHook('onClose', async () => admission.close());
}

/** The answer of a request is there, or its stream is open: it no longer keeps others out. */
export function endAdmission(response: ServerResponse): void {
  beingAnswered.get(response)?.leave();
  beingAnswered.delete(response);
}
