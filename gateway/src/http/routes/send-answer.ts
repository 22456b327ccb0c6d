import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { watchUnread } from '../delivery/unread-responses.ts';
import { answerKeys, type HttpAnswer, type HttpExchange } from '../message/http-exchange.ts';
import { PIECE_BYTES, writeInPieces } from '../message/write-in-pieces.ts';
import { endAdmission } from './admit-requests.ts';
import type { AnsweringOptions } from './answer-whole.ts';

/** Sends a whole response. Until its client has read it, it counts in the client's share of unread bytes. */
export function sendAnswer(
  reply: FastifyReply,
  exchange: Pick<HttpExchange, 'address'>,
  answer: HttpAnswer,
  { unread }: Pick<AnsweringOptions, 'unread'>,
): FastifyReply {
  const { status, headers, body } = answer;
  // one that waits for its turn behind others of its connection takes up their client's memory, but no place
  if (!reply.raw.socket) endAdmission(reply.raw);
  setHeaders(reply.status(status), headers);
  const bytes = Buffer.byteLength(body);
  if (bytes > PIECE_BYTES) {
    sendInPieces(reply, typeof body === 'string' ? Buffer.from(body) : body);
    watchUnread(
      reply.raw,
      unread,
      () => answerKeys(exchange, answer),
      () => bytes,
    );
    return reply;
  }
  void reply.send(body);
  if (reply.raw.writableLength > 0) watchUnread(reply.raw, unread, () => answerKeys(exchange, answer));
  return reply;
}

/** Past the framework, which writes answers whole. */
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
export function setHeaders(reply: FastifyReply, headers: HttpAnswer['headers']): FastifyReply {
  const before = headers['vary'] === undefined ? undefined : reply.getHeader('vary');
  void reply.headers(headers);
  if (before !== undefined) void reply.header('vary', `${String(before)}, ${headers['vary']}`);
  return reply;
}
