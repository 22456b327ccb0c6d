import { METHODS } from 'node:http';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify';
import type { PresentedProof } from '../auth/verify-proof.ts';
import type { GraphRequest, RequestContext } from '../context.ts';
import { refused, RequestRefused, type GatewayErrorCode } from '../errors.ts';
import { runOperation } from '../pipeline/index.ts';
import type { OperationAnswer, PipelineAnswer, StreamAnswer } from '../pipeline/operation-answer.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { setCacheHeaders } from './cache-control.ts';
import { preventCsrf } from './csrf.ts';
import { assertReadableBody, isJsonBody } from './media-type.ts';
import { mediaTypeOfFailure, negotiateForms, type AcceptedForms, type ResultMediaType } from './negotiate.ts';
import { readBody, readQueryString, type RequestBounds } from './read-request.ts';
import { watchRequest } from './request-signal.ts';
import { sendParts } from './send-parts.ts';
import { challengeOf, retryAfterOf, statusOf, statusOfBatch } from './status.ts';
import { serverSentEvents } from './streams/stream-format.ts';
import { sendInStreamFormat, sendStream, type StreamResponseOptions } from './streams/stream-response.ts';
import { writeAnswer, writeBatch } from '../pipeline/write-answer.ts';
import type { MultipartTimes } from './write-multipart.ts';

/** Settings of {@link addGraphqlRoute}. */
export interface GraphqlRouteOptions {
  readonly path: string;
  /** Where every answer is a stream of server-sent events, unless the client prefers another format. */
  readonly streamPath: string;
  readonly streams: StreamResponseOptions;
  /** Those of the configuration that is in force now. */
  readonly services: () => PipelineServices;
  readonly bounds: RequestBounds;
  /** Milliseconds to the first byte of an answer. Specification: Limits, HTTP read timeout. */
  readonly timeoutMs: number;
  readonly multipart: MultipartTimes;
  /** Told of each answer, for logs and metrics. */
  readonly onAnswer: (request: { readonly id: string }, answer: OperationAnswer, durationMs: number) => void;
}

/**
 * Serves GraphQL over HTTP: POST with a request or a batch, GET for queries; and streams of results in the bodies of
 * responses, to clients that take them. The body is read here, not by Fastify, whose JSON parser refuses some names of
 * variables in a form that is not GraphQL's.
 *
 * @see GraphQL over HTTP; the protocol of graphql-sse, distinct connections mode
 */
export function addGraphqlRoute(server: FastifyInstance, options: GraphqlRouteOptions): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The usual type by its name as well: what only `*` stands for is parsed anew with each request.
    scope.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler<FastifyError>((error, request, reply) =>
      sendFailure(error, request, reply, options),
    );
    for (const method of OTHER_METHODS)
      if (!scope.supportedMethods.includes(method)) scope.addHttpMethod(method, { hasBody: true });
    for (const path of [options.path, options.streamPath]) addMethods(scope, path, options);
  });
}

function addMethods(scope: FastifyInstance, url: string, options: GraphqlRouteOptions): void {
  scope.route({
    method: 'POST',
    url,
    onRequest: hookOf(admitPost),
    handler: (request, reply) => answerPost(request, reply, options),
  });
  scope.route({
    method: 'GET',
    url,
    onRequest: hookOf((request) => preventCsrf(request.headers, isOfSamePage(request, options))),
    handler: (request, reply) => answerGet(request, reply, options),
  });
  scope.route({ method: OTHER_METHODS, url, onRequest: async () => refuseMethod(), handler: refuseMethod });
}

/** Whatever else Node understands. A CONNECT never becomes a request. */
const OTHER_METHODS = METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'POST'].includes(method));

/** Before the body is read, which nobody wants. */
function refuseMethod(): never {
  throw refused('METHOD_NOT_ALLOWED', 'GraphQL is served by POST and GET.');
}

/** A check that refuses by throwing, as a hook without a promise: most requests wait for nothing here. */
function hookOf(check: (request: FastifyRequest) => void): onRequestHookHandler {
  return (request, _reply, done) => {
    try {
      check(request);
    } catch (error) {
      return done(error as Error); // a RequestRefused
    }
    done();
  };
}

/** An EventSource can't send headers, but a browser says where its page comes from. Fetch Metadata, "Sec-Fetch-Site". */
function isOfSamePage(request: FastifyRequest, { streamPath }: GraphqlRouteOptions): boolean {
  return request.routeOptions.url === streamPath && request.headers['sec-fetch-site'] === 'same-origin';
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
  const forms = formsOf(request, options);
  if (!Buffer.isBuffer(request.body)) throw refused('BAD_REQUEST', 'The request has no body.');
  const body = readBody(request.body, options.bounds);
  const exchange: Exchange = { request, reply, options, forms, accepts: 'query-mutation' };
  if (body.kind === 'batch') return answerBatch(exchange, body.requests);
  return answerOne({ ...exchange, accepts: forms.stream ? 'any' : 'query-mutation' }, body.request);
}

async function answerGet(
  request: FastifyRequest,
  reply: FastifyReply,
  options: GraphqlRouteOptions,
): Promise<FastifyReply> {
  const forms = formsOf(request, options);
  const parameters = request.query as Readonly<Record<string, unknown>>; // the parser makes an object without prototype
  const accepts = forms.stream ? 'query-subscription' : 'query';
  const exchange: Exchange = { request, reply, options, forms, accepts };
  return answerOne(exchange, readQueryString(parameters, options.bounds));
}

/** @throws RequestRefused NOT_ACCEPTABLE */
function formsOf(
  { headers, routeOptions }: FastifyRequest,
  { streamPath }: GraphqlRouteOptions,
): AcceptedForms {
  if (routeOptions.url !== streamPath) return negotiateForms(headers.accept);
  const { stream = serverSentEvents } = negotiateForms(headers.accept);
  return { single: undefined, parts: undefined, stream };
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
  const { single, parts, stream } = exchange.forms;
  const [answer] = await runAll(exchange, [request], parts !== undefined);
  if (!answer) throw new Error('An operation was not answered.');
  if (answer.kind === 'stream') return openStream(exchange, answer);
  const first = firstPartOf(answer);
  const status = statusOf(first, mediaTypeOf(exchange));
  if (stream && !single && !parts && status === 200)
    return sendInStreamFormat(exchange.reply, writeAnswer(first), stream);
  if (parts && (answer.kind === 'parts' || !single))
    return sendParts(withHeaders(exchange, [first], status), answer, parts, exchange.options.multipart);
  return send(exchange, [first], status, first.body ?? writeAnswer(first));
}

function openStream({ reply, forms, options }: Exchange, { stream }: StreamAnswer): FastifyReply {
  if (forms.stream) return sendStream(reply, stream, forms.stream, options.streams);
  stream.stop();
  throw new Error('A stream was opened for a client that takes none.');
}

function firstPartOf(answer: PipelineAnswer): OperationAnswer {
  if (answer.kind === 'single') return answer;
  if (answer.kind === 'parts') return answer.initial;
  answer.stream.stop();
  throw new Error('An element of a batch was answered by a stream.');
}

function mediaTypeOf({ forms }: Exchange): ResultMediaType {
  return forms.single ?? 'application/json';
}

async function answerBatch(
  exchange: Exchange,
  requests: readonly (GraphRequest | RequestRefused)[],
): Promise<FastifyReply> {
  if (!exchange.forms.single && exchange.forms.stream)
    throw refused('NOT_ACCEPTABLE', 'A batch is answered by JSON, not by a stream.');
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
    proof: headers['dpop'] === undefined ? undefined : proofOf(request, headers['dpop']),
    signal,
    takesParts,
    accepts,
  };
  const run = (element: GraphRequest | RequestRefused): Promise<PipelineAnswer> =>
    element instanceof RequestRefused
      ? Promise.resolve(refusedAnswer(element))
      : runOperation(element, context, services);
  const [only] = requests;
  const answers = only && requests.length === 1 ? [await run(only)] : await Promise.all(requests.map(run));
  settle();
  for (const answer of answers)
    if (answer.kind !== 'stream') options.onAnswer(request, firstPartOf(answer), reply.elapsedTime);
  return answers;
}

/** A header that is sent twice is no proof: its values are joined, and nobody has signed that. */
function proofOf({ method, protocol, host, url }: FastifyRequest, header: string | string[]): PresentedProof {
  return { proof: String(header), method, url: `${protocol}://${host}${url}` };
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
  setCacheHeaders(request, reply, answers, exchange.options.services().answerPolicy.varyOn);
  void reply.status(status).header('x-request-id', request.id);
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
    forms: { single, parts: undefined, stream: undefined },
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
