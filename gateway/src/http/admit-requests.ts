import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { overloaded } from '../errors.ts';
import { writeAnswer } from '../pipeline/write-answer.ts';
import type { Admission, RefusalReason } from '../traffic/admission.ts';
import { mediaTypeOfFailure } from './negotiate.ts';
import { retryAfterOf } from './status.ts';

const beingAnswered = new WeakMap<ServerResponse, Admission>();

/** Settings of {@link admitRequests}. */
export interface RequestAdmission {
  readonly admission: Admission;
  /** Whose requests count. */
  readonly paths: ReadonlySet<string>;
  /** Whether it is the token of a caller who comes first. */
  readonly isKnown: (authorization: string | undefined) => boolean;
  /** Told of each that is refused, for metrics. */
  readonly onRefused: (reason: RefusalReason) => void;
}

/** Refuses requests that the process can't take, before anything of them is read but their headers. */
export function admitRequests(
  server: FastifyInstance,
  { admission, paths, isKnown, onRefused }: RequestAdmission,
): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!paths.has(request.routeOptions.url ?? '')) return done();
    const reason = admission.enter(() => isKnown(request.headers.authorization));
    if (reason === undefined) {
      beingAnswered.set(reply.raw, admission);
      reply.raw.once('close', () => endAdmission(reply.raw));
      return done();
    }
    onRefused(reason);
    refuse(request, reply);
  });
  server.addHook('onClose', async () => admission.close());
}

const REFUSAL = { data: undefined, errors: overloaded().errors.map((error) => error.toJSON()) };
const REFUSAL_BODY = writeAnswer(REFUSAL);
const RETRY_AFTER = String(retryAfterOf([REFUSAL]));

/** Written past the framework, always the same: who has too much to do can't spend much on saying so. */
function refuse(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(503, {
    ...(reply.getHeaders() as OutgoingHttpHeaders), // those for scripts of other origins
    'cache-control': 'no-store',
    'content-length': REFUSAL_BODY.length,
    'content-type': `${mediaTypeOfFailure(request.headers.accept)}; charset=utf-8`,
    'retry-after': RETRY_AFTER,
    'x-request-id': request.id,
  });
  reply.raw.end(REFUSAL_BODY);
}

/** The answer of a request is there, or its stream is open: it no longer keeps others out. */
export function endAdmission(response: ServerResponse): void {
  beingAnswered.get(response)?.leave();
  beingAnswered.delete(response);
}
