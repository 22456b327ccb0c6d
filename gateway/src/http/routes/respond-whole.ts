import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import { byteLengthOf } from '@trellis/http1';
import { choosePreferred } from '@trellis/http1/fields';
import { type GraphRequest, type RequestContext, CostBudget } from '../../request/context.ts';
import { RequestError } from '../../errors.ts';
import { runOperation } from '../../pipeline/index.ts';
import type { OperationResult, PipelineResult } from '../../pipeline/operation-result.ts';
import { explainedServices } from '../../pipeline/explained-services.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { writeResult, writeBatch } from '../../pipeline/respond.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import type { UnreadResponses } from '../../load/unread-responses.ts';
import { responseHeaders, statusOf, statusOfBatch } from '../message/response-headers.ts';
import type { HttpResponse, HttpExchange, ResponseHeaders } from '../message/http-exchange.ts';
import type { BodyOutline } from '../message/batch-outline.ts';
import { mediaTypeOfFailure, type ResultMediaType } from '../message/media-types.ts';
import { readBody, type ReadBody } from '../message/read-request.ts';

/** What answering takes, whatever the form of the response. */
export interface ResponseOptions {
  /** Those of the configuration that is in force now. */
  readonly services: () => PipelineServices;
  /** The settings in force now. */
  readonly settings: () => TransportSettings;
  /** Bounds what clients leave unread. */
  readonly unread: UnreadResponses;
  /** Called for each response, for logs and metrics. */
  readonly onResponse: (
    request: Pick<RequestContext, 'headers' | 'software'> & { readonly id: string },
    response: OperationResult,
    durationMs: number,
  ) => void;
}

/** What the transport and the client take. */
export type Carried = Pick<RequestContext, 'acceptsIncremental' | 'accepts' | 'uploads'>;

const WHOLE: Carried = { acceptsIncremental: false, accepts: 'query-mutation' };

/**
 * Answers the body of a POST to a client that takes neither parts nor streams.
 *
 * @throws RequestError where there is nothing to run
 */
export function responseBody(
  exchange: HttpExchange,
  body: Buffer,
  mediaType: ResultMediaType,
  options: ResponseOptions,
): Promise<HttpResponse> {
  return respondWhole(exchange, readBody(body, options.settings().limits), mediaType, WHOLE, options);
}

/** Answers one request, or a batch, at once. */
export async function respondWhole(
  exchange: HttpExchange,
  body: ReadBody,
  mediaType: ResultMediaType,
  carried: Carried,
  options: ResponseOptions,
): Promise<HttpResponse> {
  if (body.kind === 'batch') {
    const responses = await runRequests(exchange, body.requests, carried, options);
    return compress(responseOfBatch(exchange, responses.map(wholeOf), mediaType, options), exchange, options);
  }
  const response = await runRequest(exchange, body.request, carried, options);
  return compress(responseOfOne(exchange, wholeOf(response), mediaType, options), exchange, options);
}

/** A response as its client accepts it. */
export function compress(
  response: HttpResponse,
  { headers }: HttpExchange,
  { settings }: ResponseOptions,
): HttpResponse | Promise<HttpResponse> {
  return compressResponse(response, headers['accept-encoding'], settings().http.compression?.minBytes);
}

/** Runs one operation of an exchange. */
export async function runRequest(
  exchange: HttpExchange,
  request: GraphRequest,
  carried: Carried,
  options: ResponseOptions,
): Promise<PipelineResult> {
  const [response] = await runRequests(exchange, [request], carried, options);
  if (!response) throw new Error('An operation was not answered.');
  return response;
}

/** Runs operations side by side: what becomes of one is nothing to the others. */
async function runRequests(
  exchange: HttpExchange,
  requests: readonly (GraphRequest | RequestError)[],
  { acceptsIncremental, accepts, uploads }: Carried,
  { services, onResponse }: ResponseOptions,
): Promise<readonly PipelineResult[]> {
  const { signal, settle } = exchange.watch();
  const { id: requestId, headers, address, proof, certificate } = exchange;
  const { authorization } = headers;
  const all = services();
  const explain = headers['trellis-explain']; // hardly any request has it
  const inForce = explain === undefined ? all : explainedServices(explain, all);
  const context: RequestContext = {
    requestId,
    headers,
    address,
    authorization,
    proof,
    certificate,
    signal,
    acceptsIncremental,
    accepts: inForce.responsePolicy.explanation?.kind === 'estimate' ? 'any' : accepts, // nothing is executed
    uploads,
    budget: requests.length > 1 ? new CostBudget() : undefined,
  };
  const run = (element: GraphRequest | RequestError): Promise<PipelineResult> =>
    element instanceof RequestError
      ? Promise.resolve(rejectedResponse(element))
      : runOperation(element, context, inForce);
  const [only] = requests;
  const responses = only && requests.length === 1 ? [await run(only)] : await Promise.all(requests.map(run));
  settle();
  for (const response of responses)
    if (response.kind !== 'stream') onResponse(exchange, firstPartOf(response), exchange.elapsedMs);
  return responses;
}

function wholeOf(response: PipelineResult): OperationResult {
  if (response.kind !== 'stream') return firstPartOf(response);
  response.stream.stop();
  throw new Error('A stream was opened for a client that takes none.');
}

/** What can be sent at once. */
export function firstPartOf(response: Exclude<PipelineResult, { kind: 'stream' }>): OperationResult {
  return response.kind === 'single' ? response : response.initial;
}

/**
 * What goes wrong before there is an operation, as a GraphQL response. A batch gets it once for each operation, as its clients
 * read it; one that can't be counted gets it once, as JSON with a status that is an error for all clients.
 *
 * @param outline of the body; absent where nothing of it was seen
 */
export function failureResponse(
  exchange: HttpExchange,
  failure: RequestError,
  options: ResponseOptions,
  { isBatch, operations }: BodyOutline = {},
): HttpResponse {
  const response = rejectedResponse(failure);
  const mediaType = mediaTypeOfFailure(exchange.headers.accept);
  options.onResponse(exchange, response, exchange.elapsedMs);
  if (operations !== undefined)
    return responseOfBatch(
      exchange,
      Array.from({ length: operations }, () => response),
      mediaType,
      options,
    );
  if (!isBatch) return responseOfOne(exchange, response, mediaType, options);
  const whole = responseOfOne(exchange, response, 'application/json', options);
  return { ...whole, status: statusOf(response, 'application/graphql-response+json') };
}

function rejectedResponse({ errors }: RequestError): OperationResult {
  return {
    kind: 'single',
    data: undefined,
    errors: errors.map(({ message, extensions }) => ({ message, extensions })),
    admitted: undefined,
  };
}

/** What one response is in HTTP. */
export function responseOfOne(
  exchange: HttpExchange,
  response: OperationResult,
  mediaType: ResultMediaType,
  options: ResponseOptions,
): HttpResponse {
  const status = statusOf(response, mediaType);
  const headers = headersOf(exchange, [response], status, mediaType, options);
  return { status, headers, body: response.body ?? writeResult(response), caller: response.admitted?.caller };
}

function responseOfBatch(
  exchange: HttpExchange,
  responses: readonly OperationResult[],
  mediaType: ResultMediaType,
  options: ResponseOptions,
): HttpResponse {
  const status = statusOfBatch(responses, mediaType);
  const headers = headersOf(exchange, responses, status, mediaType, options);
  const caller = responses.find(({ admitted }) => admitted)?.admitted?.caller; // one request has one token
  return { status, headers, body: writeBatch(responses), caller };
}

function headersOf(
  exchange: HttpExchange,
  responses: readonly OperationResult[],
  status: number,
  mediaType: ResultMediaType,
  { services }: ResponseOptions,
): ResponseHeaders {
  const headers = responseHeaders(exchange, responses, status, services());
  headers['content-type'] = `${mediaType}; charset=utf-8`;
  return headers;
}

type Coding = 'br' | 'gzip' | 'deflate';

/** The more is saved for the time, the better; the library's own choice for Brotli takes seconds for a megabyte. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const brotli = promisify<Buffer, typeof BROTLI, Buffer>(brotliCompress);
const COMPRESS: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => brotli(body, BROTLI),
  gzip: promisify<Buffer, Buffer>(gzip),
  deflate: promisify<Buffer, Buffer>(deflate),
};
const CODINGS = ['br', 'gzip', 'deflate', 'identity'] as const;

/**
 * Compresses a response for a client that accepts it, beside the event loop.
 *
 * @param minBytes smaller ones stay as they are; absent where none is compressed
 * @see RFC 9110 §8.4, §12.5.3
 */
function compressResponse(
  response: HttpResponse,
  acceptEncoding: string | string[] | undefined,
  minBytes: number | undefined,
): HttpResponse | Promise<HttpResponse> {
  if (minBytes === undefined || acceptEncoding === undefined) return response;
  const { body } = response;
  if (byteLengthOf(body) < minBytes) return response;
  const coding = choosePreferred(String(acceptEncoding), CODINGS);
  return coding === undefined || coding === 'identity' ? response : compressed(response, coding);
}

async function compressed(response: HttpResponse, coding: Coding): Promise<HttpResponse> {
  const { headers, body } = response;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.toString());
  const { vary: before } = headers;
  const vary = before === undefined ? 'accept-encoding' : `${String(before)}, accept-encoding`;
  return {
    ...response,
    headers: { ...headers, vary, 'content-encoding': coding },
    body: await COMPRESS[coding](bytes),
  };
}
