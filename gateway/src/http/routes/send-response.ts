import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyError, FastifyRequest } from 'fastify';
import { AsciiText, byteLengthOf, largeBody, PIECE_BYTES, writeInPieces } from '@trellis/http1';
import { watchUnread } from '../delivery/unread-responses.ts';
import { BatchOutline, BodyRejection, type BodyOutline } from '../message/batch-outline.ts';
import { isUnpackingError } from '../message/unpack-body.ts';
import { shareKeysOf, type HttpResponse, type HttpExchange } from '../message/http-exchange.ts';
import { endAdmission } from './admit-requests.ts';
import { type ResponseOptions, failureResponse } from './respond-whole.ts';
import { rejected, RequestError, type GatewayErrorCode } from '../../errors.ts';
import { exchangeOf, type ExchangeOptions } from './request-exchange.ts';

/** Sends a whole response. Until its client has read it, it counts in the client's share of unread bytes. */
export function sendResponse(
  reply: FastifyReply,
  exchange: Pick<HttpExchange, 'address'>,
  response: HttpResponse,
  { unread }: Pick<ResponseOptions, 'unread'>,
): FastifyReply {
  const { status, headers, body } = response;
  // one that waits for its turn behind others of its connection takes up their client's memory, but no place
  if (!reply.raw.socket) endAdmission(reply.raw);
  setHeaders(reply.status(status), headers);
  const bytes = byteLengthOf(body);
  if (bytes > PIECE_BYTES || body instanceof AsciiText) {
    sendInPieces(reply, largeBody(body, bytes));
    watchUnread(
      reply.raw,
      unread,
      () => shareKeysOf(exchange, response),
      () => bytes,
    );
    return reply;
  }
  void reply.send(body);
  if (reply.raw.writableLength > 0) watchUnread(reply.raw, unread, () => shareKeysOf(exchange, response));
  return reply;
}

/** Past the framework, which writes responses whole. */
function sendInPieces(reply: FastifyReply, body: HttpResponse['body']): void {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(reply.statusCode, {
    ...(reply.getHeaders() as OutgoingHttpHeaders), // those for scripts of other origins as well
    'content-length': body.length,
  });
  raw.on('error', () => undefined); // the client disconnected: `close` follows
  writeInPieces(raw, body, () => raw.end());
}

/** Of `vary`, what others have set counts as well. */
export function setHeaders(reply: FastifyReply, headers: HttpResponse['headers']): FastifyReply {
  const before = headers['vary'] === undefined ? undefined : reply.getHeader('vary');
  void reply.headers(headers as Record<string, string | string[]>); // it reads them alone
  if (before !== undefined) void reply.header('vary', `${String(before)}, ${String(headers['vary'])}`);
  return reply;
}

/** What goes wrong before there is an operation, as a GraphQL response. */
export function sendFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ResponseOptions & ExchangeOptions,
): void {
  const rejection = error instanceof RequestError ? error : rejectionOfFramework(error, request);
  const exchange = exchangeOf(request, reply, options);
  const outline = outlineOf(rejection, request.body);
  void sendResponse(reply, exchange, failureResponse(exchange, rejection, options, outline), options);
}

/** What is known of the body of a rejected request. */
function outlineOf(rejection: RequestError, body: unknown): BodyOutline | undefined {
  if (rejection instanceof BodyRejection) return rejection.outline;
  return Buffer.isBuffer(body) ? BatchOutline.of(body) : undefined;
}

const CODES_OF_STATUS: Readonly<Record<number, GatewayErrorCode>> = {
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

function rejectionOfFramework(error: FastifyError, request: FastifyRequest): RequestError {
  if (isUnpackingError(error))
    return rejected('BAD_REQUEST', 'The body is cut off, or not compressed as it says.');
  const status = error.statusCode ?? 500;
  if (status < 500) return rejected(CODES_OF_STATUS[status] ?? 'BAD_REQUEST', error.message);
  request.log.error({ err: error, requestId: request.id }, 'request failed');
  return rejected('INTERNAL_SERVER_ERROR', 'Internal server error.');
}
