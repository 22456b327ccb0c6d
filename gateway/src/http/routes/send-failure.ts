import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { refused, RequestRefused, type GatewayErrorCode } from '../../errors.ts';
import { answerFailure, type AnsweringOptions } from './answer-whole.ts';
import { exchangeOf, type ExchangeOptions } from './request-exchange.ts';
import { sendAnswer } from './send-answer.ts';

/** What goes wrong before there is an operation, as a GraphQL response. */
export function sendFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  options: AnsweringOptions & ExchangeOptions,
): void {
  const refusal = error instanceof RequestRefused ? error : refusalOfFramework(error, request);
  const exchange = exchangeOf(request, reply, options);
  void sendAnswer(reply, exchange, answerFailure(exchange, refusal, options), options);
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
