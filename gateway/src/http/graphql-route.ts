import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphRequest, RequestContext } from '../context.ts';
import { refused, RequestRefused, type GatewayErrorCode } from '../errors.ts';
import { runOperation } from '../pipeline/index.ts';
import type { OperationAnswer, PipelineAnswer } from '../pipeline/operation-answer.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { preventCsrf } from './csrf.ts';
import { assertReadableBody, isJsonBody } from './media-type.ts';
import { negotiateForms, negotiateResult, type AcceptedForms, type ResultMediaType } from './negotiate.ts';
import { readBody, readQueryString, type RequestBounds } from './read-request.ts';
import { watchRequest } from './request-signal.ts';
import { sendParts } from './send-parts.ts';
import { challengeOf, retryAfterOf, statusOf, statusOfBatch } from './status.ts';
import { writeAnswer, writeBatch } from '../pipeline/write-answer.ts';
import type { MultipartTimes } from './write-multipart.ts';

/** Settings of {@link addGraphqlRoute}. */
export interface GraphqlRouteOptions {
  readonly path: string;
  /** Those of the configuration that is in force now. */
  readonly services: () => PipelineServices;
  readonly bounds: RequestBounds;
  /** Milliseconds to the first byte of an answer. Specification: Limits, HTTP read timeout. */
  readonly timeoutMs: number;
  readonly multipart: MultipartTimes;
  /** Told of each answer, for logs and metrics. */
  readonly onAnswer: (request: FastifyRequest, answer: OperationAnswer, durationMs: number) => void;
}

/**
 * Serves GraphQL over HTTP: POST with a request or a batch, GET for queries. The body is read here, not by Fastify,
 * whose JSON parser refuses some names of variables in a form that is not GraphQL's.
 *
 * @see GraphQL over HTTP
 */
export function addGraphqlRoute(server: FastifyInstance, options: GraphqlRouteOptions): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler<FastifyError>((error, request, reply) =>
      sendFailure(error, request, reply, options),
    );
    scope.route({
      method: 'POST',
      url: options.path,
      onRequest: async (request) => admitPost(request),
      handler: (request, reply) => answerPost(request, reply, options),
    });
    scope.route({
      method: 'GET',
      url: options.path,
      onRequest: async (request) => preventCsrf(request.headers, false),
      handler: (request, reply) => answerGet(request, reply, options),
    });
    scope.route({
      method: ['DELETE', 'OPTIONS', 'PATCH', 'PUT'],
      url: options.path,
      handler: () => {
        throw refused('METHOD_NOT_ALLOWED', 'GraphQL is served by POST and GET.');
      },
    });
  });
}

/** Before the body is read: a body that nobody may send need not arrive. */
function admitPost({ headers }: FastifyRequest): void {
  preventCsrf(headers, isJsonBody(headers));
  assertReadableBody(headers);
}

async function answerPost(
  request: FastifyRequest,
  reply: FastifyReply,
  options: GraphqlRouteOptions,
): Promise<FastifyReply> {
  const forms = negotiateForms(request.headers.accept);
  if (!Buffer.isBuffer(request.body)) throw refused('BAD_REQUEST', 'The request has no body.');
  const body = readBody(request.body, options.bounds);
  const exchange: Exchange = { request, reply, options, forms, accepts: 'query-mutation' };
  if (body.kind === 'single') return answerOne(exchange, body.request);
  return answerBatch(exchange, body.requests);
}

async function answerGet(
  request: FastifyRequest,
  reply: FastifyReply,
  options: GraphqlRouteOptions,
): Promise<FastifyReply> {
  const forms = negotiateForms(request.headers.accept);
  const parameters = request.query as Readonly<Record<string, unknown>>; // the parser makes an object without prototype
  const exchange: Exchange = { request, reply, options, forms, accepts: 'query' };
  return answerOne(exchange, readQueryString(parameters, options.bounds));
}

/** One HTTP request and how it is answered. */
interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly options: GraphqlRouteOptions;
  readonly forms: AcceptedForms;
  readonly accepts: RequestContext['accepts'];
}

async function answerOne(exchange: Exchange, request: GraphRequest): Promise<FastifyReply> {
  const { single, parts } = exchange.forms;
  const [answer] = await runAll(exchange, [request], parts !== undefined);
  if (!answer) throw new Error('An operation was not answered.');
  const first = firstPartOf(answer);
  const status = statusOf(first, mediaTypeOf(exchange));
  if (parts && (answer.kind === 'parts' || !single))
    return sendParts(withHeaders(exchange, [first], status), answer, parts, exchange.options.multipart);
  return send(exchange, [first], status, first.body ?? writeAnswer(first));
}

function firstPartOf(answer: PipelineAnswer): OperationAnswer {
  return answer.kind === 'parts' ? answer.initial : answer;
}

function mediaTypeOf({ forms }: Exchange): ResultMediaType {
  return forms.single ?? 'application/json';
}

async function answerBatch(
  exchange: Exchange,
  requests: readonly (GraphRequest | RequestRefused)[],
): Promise<FastifyReply> {
  const answers = (await runAll(exchange, requests, false)).map(firstPartOf);
  return send(exchange, answers, statusOfBatch(answers, mediaTypeOf(exchange)), writeBatch(answers));
}

/** Runs operations side by side: what becomes of one is nothing to the others. */
async function runAll(
  { request, reply, options, accepts }: Exchange,
  requests: readonly (GraphRequest | RequestRefused)[],
  takesParts: boolean,
): Promise<readonly PipelineAnswer[]> {
  const { signal, settle } = watchRequest(reply.raw, options.timeoutMs);
  const { headers } = request;
  const services = options.services();
  const context: RequestContext = {
    requestId: request.id,
    headers,
    address: request.ip,
    authorization: headers.authorization,
    signal,
    takesParts,
    accepts,
  };
  const answers = await Promise.all(
    requests.map(async (element) =>
      element instanceof RequestRefused ? refusedAnswer(element) : runOperation(element, context, services),
    ),
  );
  settle();
  for (const answer of answers) options.onAnswer(request, firstPartOf(answer), reply.elapsedTime);
  return answers;
}

function refusedAnswer({ errors }: RequestRefused): OperationAnswer {
  return {
    kind: 'single',
    data: undefined,
    errors: errors.map(({ message, extensions }) => ({ message, extensions })),
    admitted: undefined,
  };
}

/** What the status and the first errors of answers say in headers too. */
function withHeaders(exchange: Exchange, answers: readonly OperationAnswer[], status: number): Exchange {
  const { request, reply } = exchange;
  const challenge = challengeOf(answers, status, request.headers.authorization);
  if (challenge !== undefined) void reply.header('www-authenticate', challenge);
  const retryAfterS = retryAfterOf(answers);
  if (retryAfterS !== undefined) void reply.header('retry-after', retryAfterS);
  if (status === 405) void reply.header('allow', request.method === 'GET' ? 'POST' : 'GET, POST');
  void reply.status(status).header('cache-control', 'no-store').header('x-request-id', request.id);
  return exchange;
}

function send(
  exchange: Exchange,
  answers: readonly OperationAnswer[],
  status: number,
  body: string | Buffer,
): FastifyReply {
  return withHeaders(exchange, answers, status)
    .reply.header('content-type', `${mediaTypeOf(exchange)}; charset=utf-8`)
    .send(body);
}

/** What goes wrong before there is an operation, as a GraphQL response. */
function sendFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  options: GraphqlRouteOptions,
): void {
  const answer = refusedAnswer(error instanceof RequestRefused ? error : refusalOfFramework(error, request));
  const single = mediaTypeOfFailure(request.headers.accept);
  options.onAnswer(request, answer, reply.elapsedTime);
  const exchange: Exchange = {
    request,
    reply,
    options,
    forms: { single, parts: undefined },
    accepts: 'query',
  };
  void send(exchange, [answer], statusOf(answer, single), writeAnswer(answer));
}

const CODES_OF_STATUS: Readonly<Record<number, GatewayErrorCode>> = {
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

function refusalOfFramework(error: FastifyError, request: FastifyRequest): RequestRefused {
  const status = error.statusCode ?? 500;
  if (status < 500) return refused(CODES_OF_STATUS[status] ?? 'BAD_REQUEST', error.message);
  request.log.error({ err: error, requestId: request.id }, 'a request failed');
  return refused('INTERNAL_SERVER_ERROR', 'Internal server error.');
}

function mediaTypeOfFailure(accept: string | undefined): ResultMediaType {
  try {
    return negotiateResult(accept);
  } catch {
    return 'application/json';
  }
}
