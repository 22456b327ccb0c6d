import type { Logger } from '@trellis/runtime';
import type { IncomingMessage } from 'node:http';
import { rejected, RequestError } from '../../errors.ts';
import { rejectionResponse, type RequestAdmission } from '../routes/admit-requests.ts';
import { responseBody, failureResponse, type ResponseOptions } from '../routes/respond-whole.ts';
import { originCheck, type CrossOriginRules } from '../message/cross-origin.ts';
import type { HttpConnections } from '../message/http-connections.ts';
import type { UnansweredBytes } from '../../load/unanswered-bytes.ts';
import { preventCsrf } from '../message/csrf.ts';
import { shareKeysOf, type HttpResponse } from '../message/http-exchange.ts';
import { assertReadableBody, isJsonBody, negotiateForms } from '../message/media-types.ts';
import type { PlainTimes } from './plain-connection.ts';
import type { PlainExchange } from './plain-exchange.ts';
import type { PlainResponder } from './plain-first-server.ts';
import type { PlainRequest } from './plain-request.ts';

/** Settings of {@link createPlainResponder}. */
export interface PlainResponderOptions extends ResponseOptions {
  readonly logger: Logger;
  readonly admission: RequestAdmission;
  readonly times: () => PlainTimes;
  readonly connections: HttpConnections;
  readonly unanswered: UnansweredBytes;
  readonly addressOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
  /** The header by which a proxy says which certificate a client has used: what has it is for the framework. */
  readonly certificateHeader: string | undefined;
  /** How pages of other origins are met; absent where they may not use the graph. */
  readonly crossOrigin: CrossOriginRules | undefined;
}

/**
 * Answers plain requests through the same stages as the routes do: admission, CSRF, media types, the pipeline.
 */
export function createPlainResponder(options: PlainResponderOptions): PlainResponder {
  const { admission, times, settings, connections, addressOf, crossOrigin, certificateHeader } = options;
  const allowsOrigin = originCheck(crossOrigin);
  const vary = crossOrigin && !crossOrigin.isOpen ? 'Origin' : undefined; // as the framework says it
  const rules = {
    paths: admission.paths,
    get maxBodyBytes() {
      return settings().limits.bodyBytes;
    },
    without: new Set([
      ...(crossOrigin ? WITH_CORS : WITHOUT_CORS),
      ...(certificateHeader ? [certificateHeader] : []),
    ]),
    takes: takesWhole,
  };
  return {
    rules,
    get timeoutMs() {
      return settings().timeouts.requestMs;
    },
    get times() {
      return times();
    },
    connections,
    addressOf,
    failed: (error) => options.logger.error({ err: error }, 'connection failed internally'),
    unread: (exchange, response, socket) => {
      const bytes = Buffer.byteLength(response.body);
      return options.unread.watch(
        socket,
        () => shareKeysOf(exchange, response),
        () => bytes,
      );
    },
    hold: ({ address }) => options.unanswered.open(() => admission.shareOf(address)),
    ended: (exchange) => {
      if (!exchange.place) return;
      admission.admission.leave(exchange.place);
      exchange.place = undefined;
    },
    response: async (exchange, request) => {
      const { authorization } = exchange.headers;
      const keys = admission.shareOf(exchange.address);
      const reason = admission.admission.enter(() => admission.isKnown(authorization), keys);
      if (reason === undefined) {
        exchange.place = keys;
        return withVary(await response(exchange, request, options, allowsOrigin), vary);
      }
      admission.onRejected(reason);
      return withVary(rejectionResponse(exchange, reason), vary);
    },
  };
}

/** A proof of possession names the address that the client has used. */
const WITHOUT_CORS: ReadonlySet<string> = new Set(['dpop']);
/** Pages of other origins are answered by the framework. */
const WITH_CORS: ReadonlySet<string> = new Set(['dpop', 'origin']);

/** Parts and streams are for the framework's routes. */
function takesWhole({ headers }: Pick<PlainRequest, 'headers'>): boolean {
  try {
    const { single, parts, stream } = negotiateForms(headers.accept);
    return single !== undefined && !parts && !stream;
  } catch {
    return false;
  }
}

async function response(
  exchange: PlainExchange,
  { headers, body }: PlainRequest,
  options: PlainResponderOptions,
  allowsOrigin: (origin: string) => boolean,
): Promise<HttpResponse> {
  try {
    preventCsrf(headers, isJsonBody(headers), allowsOrigin);
    assertReadableBody(headers);
    const { single = 'application/json' } = negotiateForms(headers.accept);
    return await responseBody(exchange, body, single, options);
  } catch (error) {
    if (error instanceof RequestError) return failureResponse(exchange, error, options);
    options.logger.error({ err: error, requestId: exchange.id }, 'a request failed');
    return failureResponse(exchange, rejected('INTERNAL_SERVER_ERROR', 'Internal server error.'), options);
  }
}

function withVary(response: HttpResponse, vary: string | undefined): HttpResponse {
  if (vary === undefined) return response;
  const own = response.headers['vary'];
  return {
    ...response,
    headers: { ...response.headers, vary: own === undefined ? vary : `${vary}, ${own}` },
  };
}
