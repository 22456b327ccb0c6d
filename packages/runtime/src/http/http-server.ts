import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import type { Logger } from '../telemetry/logger.ts';
import { continueInTurn } from './continue-in-turn.ts';
import { addHealthRoutes, type ReadinessCheck } from './health-routes.ts';
import { PendingResponses } from './pending-responses.ts';
import { rejectMalformed } from './reject-malformed.ts';
import { rejectAmbiguousRequests } from './unambiguous-request.ts';
import { ignoreOtherUpgrades } from './upgrades.ts';

/** Settings of {@link createHttpServer}. */
export interface HttpServerOptions {
  readonly logger: Logger;
  /** What must hold for `/health/ready` to answer 200, by name. */
  readonly readiness?: Readonly<Record<string, ReadinessCheck>>;
  /** What else `/health/ready` says of a server that is ready: versions, for example. */
  readonly healthDetails?: () => Readonly<Record<string, string>>;
  /** Largest request body, bytes. @default 1_048_576 */
  readonly maxBodyBytes?: number;
  /** Milliseconds for headers and body of a request to arrive. @default 30_000 */
  readonly requestTimeoutMs?: number;
  /** More options of Fastify: `trustProxy`, `https`, `routerOptions`, … */
  readonly fastify?: FastifyServerOptions;
}

/** How often Node looks for requests that take too long to arrive. Its own 30 s would be added to every time-out. */
const CONNECTIONS_CHECK_MS = 1_000;

/** A Fastify instance with health checks, request ids, bounds on what clients may send, and no banner. It does not listen yet. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const requestTimeoutMs = options.requestTimeoutMs ?? 30_000;
  const pending = new PendingResponses();
  const server = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.maxBodyBytes ?? 1_048_576,
    requestTimeout: requestTimeoutMs,
    http: { connectionsCheckingInterval: CONNECTIONS_CHECK_MS },
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what arrives on an open connection while draining is answered, and ends the connection
    genReqId: () => randomUUID(),
    childLoggerFactory: (logger) => logger, // few requests log anything: those records name `request.id`
    frameworkErrors: respondToMalformedAddress,
    clientErrorHandler: (error, socket) => rejectMalformed(error, socket, pending),
    ...options.fastify,
  }) as FastifyInstance; // the logger's type parameter is of no use to callers
  setRequestTimeout(server, requestTimeoutMs);
  continueInTurn(server.server);
  pending.watch(server.server);
  ignoreOtherUpgrades(server.server, pending);
  rejectAmbiguousRequests(server);
  addHealthRoutes(server, options.readiness ?? {}, options.healthDetails);
  closeConnectionsInOrder(server);
  return server;
}

/** Changes how many milliseconds the headers and the body of a request have to arrive, of those as well that have begun. */
export function setRequestTimeout({ server }: FastifyInstance, timeoutMs: number): void {
  server.requestTimeout = timeoutMs;
  // Node exchanges the two when the one for headers, 60 s by default, is the longer: bodies would have that time.
  server.headersTimeout = timeoutMs;
}

/** Fastify's own response names its error codes. */
function respondToMalformedAddress(
  _error: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  void reply.status(400).send({ error: 'Bad Request', message: 'The address is not well-formed.' });
}

/** Emitted on an HTTP server before it is closed: from now on each response has to end its connection. */
export const CLOSING_BEGAN = 'closingBegan';
/** Emitted by an HTTP server that reads some requests by itself, instead of `request`. */
export const EXCHANGE_BEGAN = 'exchangeBegan';
/** Emitted when the response to such a request has gone out, or its client. */
export const EXCHANGE_ENDED = 'exchangeEnded';

/** A port stays open until nothing has arrived at it for so long, … */
const IDLE_WINDOW_MS = 100;
/** … and for so long at most, with clients that don't leave. */
const DRAIN_TIMEOUT_MS = 2_000;
/** A request may come so long after its connection was opened. */
const FIRST_REQUEST_MS = 1_000;
/** A request that has begun to arrive when closing begins has so long for the rest. */
const REST_OF_REQUEST_MS = 5_000;
const CLOSING_CHECK_MS = 25;

/**
 * A client that connects or sends at the moment the server begins to close can't know. So the port is closed once nothing
 * arrives any more: until then all is answered, and every response ends its connection.
 *
 * Then Node closes the connections that are idle, and waits for all others. Some of those never end by themselves in good
 * time: one that carries a request now stays open for the keep-alive time-out after its response, and one on which no request
 * has arrived whole (browsers open some in advance) waits for the rest of it. So the idle ones are closed again and again,
 * and all that is left when nothing is being answered and nothing has arrived for a while. A client that sends its request
 * a byte at a time is not waited for.
 */
function closeConnectionsInOrder(server: FastifyInstance): void {
  const http = server.server;
  const traffic = watchTraffic(http);
  const closeIdle = (restUntil: number): void => {
    if (performance.now() >= restUntil) for (const request of traffic.arriving()) request.destroy();
    if (traffic.answering() === 0 && traffic.idleMs() >= FIRST_REQUEST_MS) http.closeAllConnections();
    else http.closeIdleConnections();
  };
  server.addHook('preClose', async () => {
    if (!http.listening) return;
    http.emit(CLOSING_BEGAN);
    const drainUntil = performance.now() + DRAIN_TIMEOUT_MS;
    const restUntil = performance.now() + REST_OF_REQUEST_MS;
    do {
      await sleep(CLOSING_CHECK_MS);
      await allIsRead();
    } while (traffic.idleMs() < IDLE_WINDOW_MS && performance.now() < drainUntil);
    const check = setInterval(() => void allIsRead().then(() => closeIdle(restUntil)), CLOSING_CHECK_MS);
    http.once('close', () => clearInterval(check));
  });
}

/**
 * Two turns of the event loop: connections are accepted in one, and read in the next. A process that got no processor for a
 * while would otherwise find its time over before it has seen what arrived in it.
 */
async function allIsRead(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

interface Traffic {
  /** Requests in flight. */
  answering(): number;
  /** Those whose body has not arrived yet. */
  arriving(): readonly IncomingMessage[];
  /** Since a connection was opened, or a request arrived. */
  idleMs(): number;
}

/** The stages of a request, the framework and Node.js listen for the end of a response: about a dozen listeners. */
const MAX_RESPONSE_LISTENERS = 32;

function watchTraffic(http: Server): Traffic {
  const requests = new Set<IncomingMessage>();
  let exchanges = 0;
  let arrivedAt = -Infinity;
  http.on('connection', () => (arrivedAt = performance.now()));
  http.on('request', (request, response) => {
    arrivedAt = performance.now();
    requests.add(request);
    response.setMaxListeners(MAX_RESPONSE_LISTENERS);
    response.once('close', () => requests.delete(request));
  });
  http.on(EXCHANGE_BEGAN, () => {
    arrivedAt = performance.now();
    exchanges += 1;
  });
  http.on(EXCHANGE_ENDED, () => (exchanges -= 1));
  return {
    answering: () => requests.size + exchanges,
    arriving: () => [...requests].filter(({ complete }) => !complete),
    idleMs: () => performance.now() - arrivedAt,
  };
}
