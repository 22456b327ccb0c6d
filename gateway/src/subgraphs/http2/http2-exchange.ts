import {
  constants,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import { REQUEST_HEADERS, TIMEOUT_HEADER } from '../../settings/header-names.ts';
import {
  BrokenResponse,
  type ExchangeHandler,
  type ExchangeRequest,
  ParsedFields,
  type ResponseStart,
} from '@trellis/http1';
import type { Http2RequestHead } from './http2-headers.ts';
import type { Http2Session } from './http2-session.ts';

/** Sends a request over a session; the handler is called with its outcome. */
export function exchangeOver(
  session: Http2Session,
  request: ExchangeRequest,
  handler: ExchangeHandler,
): void {
  let stream: ClientHttp2Stream | undefined;
  let isAborted = false;
  const abort = (): void => {
    isAborted = true;
    stream?.close(constants.NGHTTP2_CANCEL);
    session.assertAlive();
  };
  if (!handler.started(abort)) return;
  try {
    stream = session.open(headOf(request), request.body);
  } catch (error) {
    return handler.failed(error as Error); // a MalformedRequest, or an Error of node:http2
  }
  follow(stream, handler, () => isAborted);
}

function headOf({ path, headers, timeoutMs }: ExchangeRequest): Omit<Http2RequestHead, 'authority'> {
  return { path, headers: { ...headers, ...REQUEST_HEADERS, [TIMEOUT_HEADER]: String(timeoutMs) } };
}

function follow(stream: ClientHttp2Stream, handler: ExchangeHandler, isAborted: () => boolean): void {
  let failure: Error | undefined;
  let hasBegun = false;
  let isWhole = false;
  stream.on('response', (headers) => {
    hasBegun = true;
    if (!isAborted()) handler.responded(startOf(headers));
  });
  stream.on('data', (chunk: Buffer) => {
    if (!isAborted()) handler.received(chunk);
  });
  stream.on('end', () => (isWhole = hasBegun));
  stream.on('error', (error: Error) => (failure = error));
  stream.on('close', () => {
    if (isAborted()) return;
    const isEnded = isWhole && failure === undefined && stream.rstCode === constants.NGHTTP2_NO_ERROR;
    if (isEnded) handler.ended();
    else handler.failed(failure ?? new BrokenResponse('The stream was closed.'));
  });
}

function startOf(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): ResponseStart {
  const length = headers['content-length'];
  const encoding = headers['content-encoding'];
  return {
    status: headers[':status'] ?? 0,
    length: length === undefined ? undefined : Number(length),
    encoding: encoding === undefined || encoding === 'identity' ? undefined : encoding.toLowerCase(),
    cacheControl: headers['cache-control'],
    fields: new ParsedFields(headers),
  };
}
