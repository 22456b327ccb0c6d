import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ShareKeys } from '@trellis/runtime/admission';
import { overloaded, overShare, type RequestError } from '../../errors.ts';
import { writeResult } from '../../pipeline/respond.ts';
import type { Admission, RejectionReason } from '../../load/admission.ts';
import { normalAddress } from '../message/client-address.ts';
import { mayBringBatch, outlineArriving, type BodyOutline } from '../message/batch-outline.ts';
import type { HttpResponse, HttpExchange } from '../message/http-exchange.ts';
import { mediaTypeOfFailure } from '../message/media-types.ts';
import { retryAfterOf } from '../message/response-headers.ts';

/** Ends the admission of a request. */
const admittedResponses = new WeakMap<ServerResponse, () => void>();

/** Settings of {@link admitRequests}. */
export interface RequestAdmission {
  readonly admission: Admission;
  /** Whose requests count. */
  readonly paths: ReadonlySet<string>;
  /** Whether it is the token of a caller who comes first. */
  readonly isKnown: (authorization: string | undefined) => boolean;
  /** Whose share a request counts in, by its address. */
  readonly shareOf: (address: string) => ShareKeys;
  /** Called for each rejected request, for metrics. */
  readonly onRejected: (reason: RejectionReason) => void;
}

/** Rejects requests that the process can't take, before anything of them is read but their headers. */
export function admitRequests(
  server: FastifyInstance,
  { admission, paths, isKnown, shareOf, onRejected }: RequestAdmission,
): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!paths.has(request.routeOptions.url ?? '')) return done();
    const keys = shareOf(normalAddress(request.ip));
    const reason = admission.enter(() => isKnown(request.headers.authorization), keys);
    if (reason === undefined) {
      admittedResponses.set(reply.raw, () => admission.leave(keys));
      reply.raw.once('close', () => endAdmission(reply.raw));
      return done();
    }
    onRejected(reason);
    reject(request, reply, reason);
  });
  server.addHook('onClose', async () => admission.close());
}

/** What is always the same of a rejection. */
interface WrittenRejection {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string;
}

function written(rejection: RequestError, status: number): WrittenRejection {
  const result = { data: undefined, errors: rejection.errors.map((error) => error.toJSON()) };
  return { status, body: writeResult(result), retryAfter: String(retryAfterOf([result])) };
}

const OVERLOADED = written(overloaded(), 503);
const REJECTIONS: Readonly<Record<RejectionReason, WrittenRejection>> = {
  requests: OVERLOADED,
  delay: OVERLOADED,
  share: written(overShare(), 429),
};

/** The response to a request that was not let in: the same for all operations of a batch. */
export function rejectionResponse(
  { id, headers }: Pick<HttpExchange, 'id' | 'headers'>,
  reason: RejectionReason,
  { isBatch, operations }: BodyOutline,
): HttpResponse {
  const { status, body, retryAfter } = REJECTIONS[reason];
  const isWhole = isBatch && operations === undefined;
  const mediaType = isWhole ? 'application/json' : mediaTypeOfFailure(headers.accept);
  return {
    status,
    headers: {
      'cache-control': 'no-store',
      'content-type': `${mediaType}; charset=utf-8`,
      'retry-after': retryAfter,
      'x-request-id': id,
    },
    body: operations === undefined ? body : `[${Array.from({ length: operations }, () => body).join(',')}]`,
  };
}

/** Of the body it reads no more than says whether it is a batch, and of how many operations. */
function reject(request: FastifyRequest, reply: FastifyReply, reason: RejectionReason): void {
  reply.hijack();
  if (!mayBringBatch(request.method, request.headers)) return write(request, reply, reason, {});
  outlineArriving(request.raw, (outline) => write(request, reply, reason, outline));
}

/** Past the framework: who has too much to do can't spend much on saying so. */
function write(
  request: FastifyRequest,
  reply: FastifyReply,
  reason: RejectionReason,
  outline: BodyOutline,
): void {
  const { status, headers, body } = rejectionResponse(request, reason, outline);
  reply.raw.writeHead(status, {
    ...(reply.getHeaders() as OutgoingHttpHeaders), // those for scripts of other origins
    ...headers,
    'content-length': body.length,
  });
  reply.raw.end(body);
}

/** The response of a request has been written or waits for its turn, or its stream is open: it no longer keeps others out. */
export function endAdmission(response: ServerResponse): void {
  admittedResponses.get(response)?.();
  admittedResponses.delete(response);
}
