import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { rejected, RequestError, type GatewayErrorCode } from '../../errors.ts';
import { failureResponse, type ResponseOptions } from './respond-whole.ts';
import { exchangeOf, type ExchangeOptions } from './request-exchange.ts';
import { sendResponse } from './send-response.ts';

/** What goes wrong before there is an operation, as a GraphQL response. */
export function sendFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ResponseOptions & ExchangeOptions,
): void {
  const rejection = error instanceof RequestError ? error : rejectionOfFramework(error, request);
  const exchange = exchangeOf(request, reply, options);
  void sendResponse(reply, exchange, failureResponse(exchange, rejection, options), options);
}

const CODES_OF_STATUS: Readonly<Record<number, GatewayErrorCode>> = {
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

function rejectionOfFramework(error: FastifyError, request: FastifyRequest): RequestError {
  const status = error.statusCode ?? 500;
  if (status < 500) return rejected(CODES_OF_STATUS[status] ?? 'BAD_REQUEST', error.message);
  request.log.error({ err: error, requestId: request.id }, 'a request failed');
  return rejected('INTERNAL_SERVER_ERROR', 'Internal server error.');
}
