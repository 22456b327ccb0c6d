import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { watchUnread } from '../delivery/unread-responses.ts';
import { shareKeysOf, type HttpResponse, type HttpExchange } from '../message/http-exchange.ts';
import { PIECE_BYTES, writeInPieces } from '@trellis/http1';
import { endAdmission } from './admit-requests.ts';
import type { ResponseOptions } from './respond-whole.ts';

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
  const bytes = Buffer.byteLength(body);
  if (bytes > PIECE_BYTES) {
    sendInPieces(reply, typeof body === 'string' ? Buffer.from(body) : body);
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
function sendInPieces(reply: FastifyReply, body: Buffer): void {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(reply.statusCode, {
    ...(reply.getHeaders() as OutgoingHttpHeaders), // those for scripts of other origins as well
    'content-length': body.length,
  });
  raw.on('error', () => undefined); // the client is gone: `close` follows
  writeInPieces(raw, body, () => raw.end());
}

/** Of `vary`, what others have set counts as well. */
export function setHeaders(reply: FastifyReply, headers: HttpResponse['headers']): FastifyReply {
  const before = headers['vary'] === undefined ? undefined : reply.getHeader('vary');
  void reply.headers(headers);
  if (before !== undefined) void reply.header('vary', `${String(before)}, ${headers['vary']}`);
  return reply;
}
