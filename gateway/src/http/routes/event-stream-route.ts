import { own } from '@trellis/runtime/own-property';
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import { shareKeysOfCaller } from '../../identity/caller.ts';
import { DeadlineSignal } from '../../abort/deadline-signal.ts';
import { CLIENT_CLOSED, gatewayErrorCodes, rejected, tooManyStreams } from '../../errors.ts';
import { authenticate } from '../../pipeline/authenticate.ts';
import type { PipelineResult } from '../../pipeline/operation-result.ts';
import type { GraphRequest } from '../../request/context.ts';
import type { EventStream } from '../event-stream/event-stream.ts';
import type { EventStreams } from '../event-stream/event-streams.ts';
import type { StreamResponseOptions } from '../delivery/stream-response.ts';
import type { HttpExchange, RequestSignal } from '../message/http-exchange.ts';
import { readBody } from '../message/read-request.ts';
import { runRequest, type ResponseOptions } from './respond-whole.ts';
import { exchangeOf, type ExchangeOptions } from './request-exchange.ts';

const TOKEN_HEADER = 'x-graphql-event-stream-token';
const MAX_ID_CHARACTERS = 256;

/** What event streams are served by. */
export interface EventStreamServing extends ResponseOptions, ExchangeOptions {
  /** Bounds what is held of the bodies of requests. */
  readonly boundBodies: preParsingHookHandler;
  /** Absent where several processes share the port: a stream lives in one of them. */
  readonly eventStreams: EventStreams | undefined;
}

/** Those of graphql-sse's single connection mode alone; browsers ask before they send them. */
export const EVENT_STREAM_METHODS: ReadonlySet<string> = new Set(['PUT', 'DELETE']);

/** Serves {@link EVENT_STREAM_METHODS}: PUT reserves an event stream, DELETE ends an operation on it. */
export function addEventStreamMethods(
  scope: FastifyInstance,
  url: string,
  options: EventStreamServing,
): void {
  scope.route({
    method: 'PUT',
    url,
    preParsing: options.boundBodies,
    handler: (request, reply) => reserveEventStream(exchangeOf(request, reply, options), reply, options),
  });
  scope.route({
    method: 'DELETE',
    url,
    preParsing: options.boundBodies,
    handler: async (request, reply) => {
      const token = eventStreamTokenOf(request) ?? '';
      return stopOnEventStream(token, exchangeOf(request, reply, options), request, reply, options);
    },
  });
}

/** The token of an event stream: a header, or a parameter where an EventSource can set no header. */
export function eventStreamTokenOf({ headers, query }: FastifyRequest): string | undefined {
  const header = headers[TOKEN_HEADER];
  if (typeof header === 'string') return header;
  const parameter = own(query as Readonly<Record<string, unknown>>, 'token'); // the parser makes an object
  return typeof parameter === 'string' ? parameter : undefined;
}

/** For its client, who gets its token. */
async function reserveEventStream(
  exchange: HttpExchange,
  reply: FastifyReply,
  { services, eventStreams }: EventStreamServing,
): Promise<FastifyReply> {
  const inForce = services();
  const { id, headers, proof, certificate, address } = exchange;
  const { authorization } = headers;
  const caller = await authenticate({ authorization, proof, certificate, address }, inForce, (reason) =>
    inForce.observer.invalidToken(id, reason),
  );
  const token = existing(eventStreams).reserve(shareKeysOfCaller(caller, address));
  return reply.status(201).headers(headersOf(exchange)).type('text/plain; charset=utf-8').send(token);
}

/** GET with a token: the response is the stream. */
export function openEventStream(
  token: string,
  reply: FastifyReply,
  { eventStreams }: EventStreamServing,
  options: Omit<StreamResponseOptions, 'keysOf'>,
): FastifyReply {
  const { stream, keys } = existing(eventStreams).find(token);
  if (stream.isOpen)
    throw rejected('BAD_REQUEST', 'This event stream is open already. Reserve another one by PUT.');
  return stream.open(reply, { ...options, keysOf: () => keys });
}

/**
 * POST with a token: runs an operation. Its results go over the stream, and so do the errors of one that is not executed: clients
 * take another status than 202 for a fault of the network, and send the operation again and again.
 *
 * @returns sends them; to be called when the client knows that the operation was accepted
 * @throws RequestError STREAM_NOT_FOUND, TOO_MANY_STREAMS, or BAD_REQUEST where the operation has no id of its own
 */
export async function runOnEventStream(
  token: string,
  body: Buffer,
  exchange: HttpExchange,
  options: EventStreamServing,
): Promise<() => void> {
  const { stream } = existing(options.eventStreams).find(token);
  const { limits, subscriptions, timeouts } = options.settings();
  const read = readBody(body, limits);
  if (read.kind === 'batch') throw rejected('BAD_REQUEST', 'A batch is not served over an event stream.');
  const id = operationIdOf(read.request);
  if (stream.has(id)) throw rejected('BAD_REQUEST', 'An operation with this id runs on the event stream.');
  const { maxOperations } = subscriptions.webSocket;
  if (stream.size >= maxOperations)
    throw tooManyStreams(`No more than ${maxOperations} operations may run on an event stream.`);
  const watched = watchOperation(timeouts.requestMs);
  stream.begin(id, watched.abort);
  const response = await runWatched(read.request, exchange, watched, stream, id, options);
  return () => {
    stream.send(id, response).catch(() => stream.end());
  };
}

async function runWatched(
  request: GraphRequest,
  exchange: HttpExchange,
  { signal, settle }: RequestSignal,
  stream: EventStream,
  id: string,
  options: ResponseOptions,
): Promise<PipelineResult> {
  const { method, headers, address, proof, certificate } = exchange;
  const ofOperation: HttpExchange = {
    id: exchange.id,
    method,
    headers,
    address,
    proof,
    certificate,
    get elapsedMs() {
      return exchange.elapsedMs;
    },
    watch: () => ({ signal, settle }),
  };
  try {
    return await runRequest(ofOperation, request, { acceptsIncremental: true, accepts: 'any' }, options);
  } catch (error) {
    stream.stop(id);
    throw error;
  }
}

/** The stream is the client's: it goes on when the response that accepted the operation is over. */
function watchOperation(timeoutMs: number): RequestSignal & { readonly abort: () => void } {
  const signal = new DeadlineSignal(timeoutMs);
  const timer = setTimeout(() => {
    signal.abort(rejected('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary));
  }, timeoutMs);
  const settle = (): void => {
    clearTimeout(timer);
    signal.clearDeadline();
  };
  return {
    signal,
    settle,
    abort: () => {
      clearTimeout(timer);
      signal.abort(CLIENT_CLOSED);
    },
  };
}

/** The client wants no more of an operation. One that has ended is no fault: messages cross. */
function stopOnEventStream(
  token: string,
  exchange: HttpExchange,
  request: FastifyRequest,
  reply: FastifyReply,
  { eventStreams }: EventStreamServing,
): FastifyReply {
  const { stream } = existing(eventStreams).find(token);
  const id = own(request.query as Readonly<Record<string, unknown>>, 'operationId'); // the parser makes an object
  if (typeof id !== 'string') throw rejected('BAD_REQUEST', 'The parameter "operationId" is missing.');
  stream.stop(id);
  return reply.status(200).headers(headersOf(exchange)).send();
}

function operationIdOf({ extensions }: GraphRequest): string {
  const id = own(extensions, 'operationId');
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS) return id;
  throw rejected(
    'BAD_REQUEST',
    `"extensions.operationId" has to be a text of 1 to ${MAX_ID_CHARACTERS} characters: it names the operation on the event stream.`,
  );
}

function existing(eventStreams: EventStreams | undefined): EventStreams {
  if (eventStreams) return eventStreams;
  throw rejected(
    'METHOD_NOT_ALLOWED',
    'Single connection mode is served by gateways of one process (WORKERS=1). Use distinct connections.',
  );
}

function headersOf({ id }: HttpExchange): Record<string, string> {
  return { 'x-request-id': id, 'cache-control': 'no-store' };
}
