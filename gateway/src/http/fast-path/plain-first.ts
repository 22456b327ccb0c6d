import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerOptions } from 'node:http';
import type { ShareKeys } from '@trellis/runtime/admission';
import {
  byteLengthOf,
  PlainFirstServer,
  type PlainRequest,
  type PlainResponder,
  type PlainTimes,
} from '@trellis/http1';
import { CLOSING_BEGAN, EXCHANGE_BEGAN, EXCHANGE_ENDED, MAX_HEADERS, type Logger } from '@trellis/runtime';
import type { FastifyServerFactory } from 'fastify';
import { DeadlineSignal } from '../../abort/deadline-signal.ts';
import { CLIENT_CLOSED, gatewayErrorCodes, rejected, RequestError } from '../../errors.ts';
import type { InFlightBytes } from '../../load/in-flight-bytes.ts';
import { createAddressReader } from '../message/client-address.ts';
import { BatchOutline } from '../message/batch-outline.ts';
import {
  originCheck,
  varyOf,
  type CrossOriginRules,
  type HostCheck,
  preventCsrf,
} from '../message/cross-origin.ts';
import type { HttpConnections } from '../message/http-connections.ts';
import {
  shareKeysOf,
  type HttpExchange,
  type HttpResponse,
  type RequestSignal,
} from '../message/http-exchange.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import {
  assertReadableBody,
  isJsonBody,
  isUploadBody,
  negotiateResponseModes,
} from '../message/media-types.ts';
import { rejectionResponse, type RequestAdmission } from '../routes/admit-requests.ts';
import { failureResponse, responseBody, type ResponseOptions } from '../routes/respond-whole.ts';

/** Settings of {@link plainFirst}. */
export interface PlainFirstOptions extends ResponseOptions {
  readonly logger: Logger;
  readonly admission: Pick<RequestAdmission, 'admission' | 'paths' | 'onRejected'>;
  readonly connections: HttpConnections;
  readonly inFlight: InFlightBytes;
  /** How pages of other origins are met now; nothing where they may not use the graph. */
  readonly crossOrigin: () => CrossOriginRules | undefined;
  /** Which hosts are served now; nothing where all are. Requests for others are for the framework. */
  readonly hosts: () => HostCheck | undefined;
}

/** Makes the framework's HTTP server one that answers plain requests before the framework sees them. */
export function plainFirst(options: PlainFirstOptions): FastifyServerFactory {
  const { settings } = options;
  return (listener, framework) => {
    const { http: ofNode, keepAliveTimeout, requestTimeout } = framework as unknown as FrameworkOptions;
    const responder = createPlainResponder({
      ...options,
      times: () => ({
        firstRequestMs: settings().timeouts.requestMs,
        keepAliveMs: keepAliveTimeout,
        silentMs: silentMs(settings()),
      }),
      addressOf: createAddressReader(() => settings().http.trustProxy),
      onBegan: () => void server.emit(EXCHANGE_BEGAN),
      onEnded: () => void server.emit(EXCHANGE_ENDED),
    });
    const server: PlainFirstServer<PlainExchange, HttpResponse> = new PlainFirstServer(
      ofNode,
      listener,
      responder,
    );
    server.on(CLOSING_BEGAN, () => server.beginClosing());
    server.keepAliveTimeout = keepAliveTimeout;
    server.requestTimeout = requestTimeout;
    return server.setTimeout(silentMs(settings()));
  };
}

/** Neither a request nor a response that its client reads leaves a connection silent for so many milliseconds. */
export function silentMs({ timeouts }: Pick<TransportSettings, 'timeouts'>): number {
  return timeouts.requestMs + timeouts.stalledMs;
}

/** Those of Fastify's options that concern the server, all of which createHttpServer sets. */
interface FrameworkOptions {
  readonly http: ServerOptions;
  readonly keepAliveTimeout: number;
  readonly requestTimeout: number;
}

interface PlainResponderOptions extends PlainFirstOptions {
  readonly times: () => PlainTimes;
  readonly addressOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
  /** Called for each exchange. */
  readonly onBegan: () => void;
  readonly onEnded: () => void;
}

/** Answers plain requests through the same stages as the routes do: admission, CSRF, media types, the pipeline. */
function createPlainResponder(options: PlainResponderOptions): PlainResponder<PlainExchange, HttpResponse> {
  const {
    admission,
    services,
    times,
    settings,
    connections,
    addressOf,
    crossOrigin,
    hosts,
    onBegan,
    onEnded,
  } = options;
  const notPlain = createHeaderRules(options);
  const allowsOrigin = originCheck(crossOrigin);
  const shareOf = (address: string): ShareKeys => services().shares.of(undefined, address).keys;
  return {
    rules: {
      paths: admission.paths,
      maxHeaders: MAX_HEADERS,
      takes: (request) => hosts()?.(request.headers.host) !== false && takesWhole(request),
      get maxBodyBytes() {
        return settings().limits.bodyBytes;
      },
      get without() {
        const { withoutOrigin, withOrigin } = notPlain();
        return crossOrigin() ? withOrigin : withoutOrigin;
      },
    },
    get times() {
      return times();
    },
    admit: (socket) => connections.take(socket),
    begin: ({ headers }, socket) => {
      onBegan();
      const address = addressOf({ headers, socket });
      return new PlainExchange(headers, address, settings().timeouts.requestMs);
    },
    failed: (error) => options.logger.error({ err: error }, 'connection failed internally'),
    unread: (exchange, response, socket) => {
      const bytes = byteLengthOf(response.body);
      return options.unread.watch(
        socket,
        () => shareKeysOf(exchange, response),
        () => bytes,
      );
    },
    hold: ({ address }) => options.inFlight.open(() => shareOf(address)),
    ended: (exchange) => {
      if (exchange.place) admission.admission.leave(exchange.place);
      exchange.place = undefined;
      onEnded();
    },
    response: async (exchange, request) => {
      const { authorization } = exchange.headers;
      const vary = varyOf(crossOrigin());
      const keys = shareOf(exchange.address);
      const reason = admission.admission.enter(() => services().authenticator.isKnown(authorization), keys);
      if (reason === undefined) {
        exchange.place = keys;
        return withVary(await response(exchange, request, options, allowsOrigin), vary);
      }
      admission.onRejected(reason);
      return withVary(rejectionResponse(exchange, reason, BatchOutline.of(request.body)), vary);
    },
  };
}

/**
 * Headers with which requests are for the framework: a proof of possession names the address that the client has used, a proxy
 * says which certificate it has, and pages of other origins are answered there.
 */
interface HeaderRules {
  /** Where pages of other origins may not use the graph. */
  readonly withoutOrigin: ReadonlySet<string>;
  /** Where some may. */
  readonly withOrigin: ReadonlySet<string>;
}

/** They are made again when a reload names another header: each request asks for them. */
function createHeaderRules({ settings }: Pick<PlainFirstOptions, 'settings'>): () => HeaderRules {
  let made = { header: undefined as string | undefined, rules: headerRules(undefined) };
  return () => {
    const header = settings().authentication.clientCertificate?.header;
    if (header !== made.header) made = { header, rules: headerRules(header) };
    return made.rules;
  };
}

function headerRules(certificateHeader: string | undefined): HeaderRules {
  const always = ['dpop', ...(certificateHeader === undefined ? [] : [certificateHeader.toLowerCase()])];
  return { withoutOrigin: new Set(always), withOrigin: new Set([...always, 'origin']) };
}

/** Parts, streams and files are for the framework's routes. */
function takesWhole({ headers }: Pick<PlainRequest, 'headers'>): boolean {
  if (headers['content-type'] !== 'application/json' && isUploadBody(headers)) return false;
  try {
    const { single, parts, stream } = negotiateResponseModes(headers.accept);
    return single !== undefined && !parts && !stream;
  } catch {
    return false;
  }
}

async function response(
  exchange: PlainExchange,
  { headers, body }: PlainRequest,
  options: PlainFirstOptions,
  allowsOrigin: (origin: string) => boolean,
): Promise<HttpResponse> {
  try {
    preventCsrf(headers, isJsonBody(headers), allowsOrigin);
    assertReadableBody(headers, false);
    const { single = 'application/json' } = negotiateResponseModes(headers.accept);
    return await responseBody(exchange, body, single, options);
  } catch (error) {
    const outline = BatchOutline.of(body);
    if (error instanceof RequestError) return failureResponse(exchange, error, options, outline);
    options.logger.error({ err: error, requestId: exchange.id }, 'request failed');
    const failure = rejected('INTERNAL_SERVER_ERROR', 'Internal server error.');
    return failureResponse(exchange, failure, options, outline);
  }
}

function withVary(response: HttpResponse, vary: string | undefined): HttpResponse {
  if (vary === undefined) return response;
  const own = response.headers['vary'];
  return {
    ...response,
    headers: { ...response.headers, vary: own === undefined ? vary : `${vary}, ${String(own)}` },
  };
}

/** A plain request that is being answered. */
class PlainExchange implements HttpExchange {
  readonly id: string = randomUUID();
  readonly method = 'POST';
  readonly proof = undefined;
  readonly certificate = undefined;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  /** Whose place it has among the requests that are answered now; absent where it has none. */
  place: ShareKeys | undefined = undefined;
  readonly #startedAt = performance.now();
  readonly #timeoutMs: number;
  #signal: DeadlineSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;

  /** @param timeoutMs to the first byte of the response */
  constructor(headers: IncomingHttpHeaders, address: string, timeoutMs: number) {
    this.headers = headers;
    this.address = address;
    this.#timeoutMs = timeoutMs;
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  watch(): RequestSignal {
    const signal = new DeadlineSignal(this.#timeoutMs);
    this.#signal = signal;
    this.#timer = setTimeout(() => {
      signal.abort(rejected('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary));
    }, this.#timeoutMs);
    return { signal, settle: () => this.settle() };
  }

  settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#signal?.clearDeadline();
  }

  abandon(): void {
    this.settle();
    this.#signal?.abort(CLIENT_CLOSED);
  }
}
