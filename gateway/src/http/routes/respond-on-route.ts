import { Readable } from 'node:stream';
import type { ShareKeys } from '@trellis/runtime/admission';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { shareKeysOfCaller } from '../../identity/caller.ts';
import type { GraphRequest } from '../../request/context.ts';
import { rejected, RequestError } from '../../errors.ts';
import type { StreamResult } from '../../pipeline/operation-result.ts';
import { writeResult } from '../../pipeline/respond.ts';
import { endAdmission } from './admit-requests.ts';
import { forwardedHeaders, responseHeaders, statusOf } from '../message/response-headers.ts';
import {
  responseBody,
  responseOfOne,
  respondWhole,
  compress,
  firstPartOf,
  runRequest,
  type Carried,
} from './respond-whole.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';
import type { HttpExchange } from '../message/http-exchange.ts';
import { isUploadBody, negotiateResponseModes, type ResponseModes } from '../message/media-types.ts';
import { readBody, readQueryString, type ReadBody } from '../message/read-request.ts';
import { documentOfAddress, withDocument } from './document-address.ts';
import { sendParts } from '../delivery/send-parts.ts';
import { readUploadRequest } from '../upload/upload-request.ts';
import { serverSentEvents } from '../message/stream-format.ts';
import {
  sendInStreamFormat,
  sendStream,
  type StreamResponseOptions,
  type StreamSettingsOfServer,
} from '../delivery/stream-response.ts';
import {
  eventStreamTokenOf,
  openEventStream,
  runOnEventStream,
  type EventStreamServing,
} from './event-stream-route.ts';
import { watchUnread } from '../delivery/unread-responses.ts';
import { exchangeOf } from './request-exchange.ts';
import { sendResponse, setHeaders } from './send-response.ts';

/** Settings of the responses of the graph route. */
export interface GraphqlRouteOptions extends EventStreamServing {
  readonly path: string;
  /** Where every response is a stream of server-sent events, unless the client prefers another format. */
  readonly streamPath: string;
  readonly streams: Omit<StreamSettingsOfServer, 'maxBufferBytes'>;
  /** Where a browser goes that asks for a page at the address of the graph; absent where there are no pages. */
  readonly pageOf?: ((request: FastifyRequest) => string | undefined) | undefined;
  /** Whether pages of another origin may use the graph. */
  readonly allowsOrigin: (origin: string) => boolean;
}

/** Answers a POST: a request, a batch, one with files, or an operation of an event stream. @throws RequestError */
export async function respondToPost(
  request: FastifyRequest,
  reply: FastifyReply,
  options: GraphqlRouteOptions,
): Promise<FastifyReply> {
  if (isUploadBody(request.headers)) return respondToUpload({ request, reply, options });
  if (!Buffer.isBuffer(request.body)) throw rejected('BAD_REQUEST', 'The request has no body.');
  const token = streamTokenOf(request, options);
  if (token !== undefined) return acceptOperation(token, request.body, { request, reply, options });
  const modes = responseModesOf(request, options);
  const exchange = exchangeOf(request, reply, options);
  const named = documentOfAddress(request);
  if (modes.single && !modes.parts && !modes.stream && !named)
    return sendResponse(
      reply,
      exchange,
      await responseBody(exchange, request.body, modes.single, options),
      options,
    );
  const body = readBody(request.body, options.settings().limits);
  if (body.kind === 'batch') {
    if (named) throw rejected('BAD_REQUEST', 'A batch has its documents in its body, not in the address.');
    return respondToBatch({ exchange, reply, options, modes }, body);
  }
  const accepts = modes.stream ? 'any' : 'query-mutation';
  const sent = named ? withDocument(body.request, named) : body.request;
  return respondToOne({ exchange, reply, options, modes }, sent, accepts);
}

/** The files arrive while the operation runs. What has not been read of them by then is read, and dropped. */
async function respondToUpload({ request, reply, options }: Handled): Promise<FastifyReply> {
  const { uploads: bounds, limits } = options.settings();
  const { single } = responseModesOf(request, options);
  const { 'content-type': contentType = '' } = request.headers;
  if (!bounds || !isReadable(request.body)) throw rejected('BAD_REQUEST', 'The request has no body.');
  const received = await readUploadRequest(request.body, contentType, bounds, limits);
  const exchange = exchangeOf(request, reply, options);
  try {
    const carried: Carried = {
      acceptsIncremental: false,
      accepts: 'query-mutation',
      uploads: received.files,
    };
    const body: ReadBody = { kind: 'single', request: received.request };
    const response = await respondWhole(exchange, body, single ?? 'application/json', carried, options);
    return sendResponse(reply, exchange, response, options);
  } finally {
    received.close();
  }
}

function isReadable(body: unknown): body is Readable {
  return body instanceof Readable;
}

/** What a handler is given. */
interface Handled {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly options: GraphqlRouteOptions;
}

/** The token of an event stream, where the request is about one. */
function streamTokenOf(request: FastifyRequest, { streamPath }: GraphqlRouteOptions): string | undefined {
  return request.routeOptions.url === streamPath ? eventStreamTokenOf(request) : undefined;
}

async function acceptOperation(
  token: string,
  body: Buffer,
  { request, reply, options }: Handled,
): Promise<FastifyReply> {
  const exchange = exchangeOf(request, reply, options);
  const sendResults = await runOnEventStream(token, body, exchange, options);
  if (reply.raw.destroyed) sendResults();
  else reply.raw.once('close', sendResults); // its client learns that it runs before it gets results
  return reply.status(202).headers({ 'x-request-id': exchange.id, 'cache-control': 'no-store' }).send();
}

/** Answers a GET: a query, or what opens an event stream. @throws RequestError */
export async function respondToGet(
  request: FastifyRequest,
  reply: FastifyReply,
  options: GraphqlRouteOptions,
): Promise<FastifyReply> {
  const token = streamTokenOf(request, options);
  if (token !== undefined) {
    endAdmission(reply.raw); // streams are bounded by their number
    return openEventStream(token, reply, options, streamSettingsOf(options));
  }
  const modes = responseModesOf(request, options);
  const parameters = request.query as Readonly<Record<string, unknown>>; // the parser makes an object without prototype
  const exchange = exchangeOf(request, reply, options);
  const accepts = modes.stream ? 'query-subscription' : 'query';
  const sent = readQueryString(parameters, options.settings().limits);
  const named = documentOfAddress(request);
  return respondToOne({ exchange, reply, options, modes }, named ? withDocument(sent, named) : sent, accepts);
}

/** @throws RequestError NOT_ACCEPTABLE */
function responseModesOf(
  { headers, routeOptions }: FastifyRequest,
  { streamPath }: GraphqlRouteOptions,
): ResponseModes {
  if (routeOptions.url !== streamPath) return negotiateResponseModes(headers.accept);
  const { stream = serverSentEvents } = negotiateResponseModes(headers.accept);
  return { single: undefined, parts: undefined, stream };
}

/** An exchange that may be answered in more than one form. */
interface Negotiated {
  readonly exchange: HttpExchange;
  readonly reply: FastifyReply;
  readonly options: GraphqlRouteOptions;
  readonly modes: ResponseModes;
}

async function respondToOne(
  { exchange, reply, options, modes }: Negotiated,
  request: GraphRequest,
  accepts: Carried['accepts'],
): Promise<FastifyReply> {
  const { single, parts, stream } = modes;
  const response = await runRequest(
    exchange,
    request,
    { acceptsIncremental: parts !== undefined, accepts },
    options,
  );
  if (response.kind === 'stream') return openStream({ exchange, reply, options, modes }, response);
  const first = firstPartOf(response);
  const mediaType = single ?? 'application/json';
  const status = statusOf(first, mediaType);
  const keysOf = (): ShareKeys => shareKeysOfCaller(first.admitted?.caller, exchange.address);
  if (stream && !single && !parts && status === 200) {
    setHeaders(reply, forwardedHeaders(exchange, [first], options.services().observer) ?? {});
    sendInStreamFormat(reply, writeResult(first), stream);
    watchUnread(reply.raw, options.unread, keysOf);
    return reply;
  }
  if (!parts || (response.kind !== 'parts' && single)) {
    const whole = await compress(responseOfOne(exchange, first, mediaType, options), exchange, options);
    return sendResponse(reply, exchange, whole, options);
  }
  setHeaders(reply.status(status), responseHeaders(exchange, [first], status, options.services()));
  const watch = (measure: () => number): UnreadBytes =>
    watchUnread(reply.raw, options.unread, keysOf, measure);
  return sendParts(reply, response, parts, options.settings().timeouts, watch);
}

function streamSettingsOf({ streams, unread, settings }: GraphqlRouteOptions): EventStreamSettings {
  return { ...streams, maxBufferBytes: settings().subscriptions.bufferBytes, unread };
}

/** Of every stream, but for whose share it counts in. */
type EventStreamSettings = Omit<StreamResponseOptions, 'keysOf'>;

function openStream(
  { exchange, reply, modes, options }: Negotiated,
  { stream, admitted }: StreamResult,
): FastifyReply {
  endAdmission(reply.raw); // streams are bounded by their number
  const keysOf = (): ShareKeys => shareKeysOfCaller(admitted.caller, exchange.address);
  if (modes.stream) return sendStream(reply, stream, modes.stream, { ...streamSettingsOf(options), keysOf });
  stream.stop();
  throw new Error('A stream was opened for a client that takes none.');
}

async function respondToBatch(
  { exchange, reply, options, modes }: Negotiated,
  body: ReadBody,
): Promise<FastifyReply> {
  if (!modes.single && modes.stream)
    throw (
      rejectionOf(body) ??
      rejected('NOT_ACCEPTABLE', 'The response to a batch is JSON, not a stream. Accept application/json.')
    );
  const carried: Carried = { acceptsIncremental: false, accepts: 'query-mutation' };
  const mediaType = modes.single ?? 'application/json';
  return sendResponse(
    reply,
    exchange,
    await respondWhole(exchange, body, mediaType, carried, options),
    options,
  );
}

/** The reason for which a whole batch is rejected. */
function rejectionOf(body: ReadBody): RequestError | undefined {
  const requests = body.kind === 'batch' ? body.requests : [];
  const [first] = requests;
  return first instanceof RequestError && requests.every((request) => request === first) ? first : undefined;
}
