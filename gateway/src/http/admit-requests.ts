import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { overloaded } from '../errors.ts';
import { writeAnswer } from '../pipeline/write-answer.ts';
import type { Admission, RefusalReason } from '../traffic/admission.ts';
import type { HttpAnswer, HttpExchange } from './http-exchange.ts';
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

/** What is answered to a request that was not let in. */
export function refusalAnswer({ id, headers }: Pick<HttpExchange, 'id' | 'headers'>): HttpAnswer {
  return {
    status: 503,
    headers: {
      'cache-control': 'no-store',
      'content-type': `${mediaTypeOfFailure(headers.accept)}; charset=utf-8`,
      'retry-after': RETRY_AFTER,
      'x-request-id': id,
    },
    body: REFUSAL_BODY,
  };
}

/** Written past the framework, always the same: who has too much to do can't spend much on saying so. */
function refuse(request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = refusalAnswer(request);
  reply.hijack();
  reply.raw.writeHead(status, {
    ...(reply.getHeaders() as OutgoingHttpHeaders), // those for scripts of other origins
    ...headers,
    'content-length': body.length,
  });
  reply.raw.end(body);
}

/** The answer of a request has been written or waits for its turn, or its stream is open: it no longer keeps others out. */
export function endAdmission(response: ServerResponse): void {
  beingAnswered.get(response)?.leave();
  beingAnswered.delete(response);
}
