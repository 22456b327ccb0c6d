import { randomUUID } from 'node:crypto';
import Fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import type { Logger } from './logger.ts';
import { addHealthRoutes, type ReadinessCheck } from './health-routes.ts';

/** Settings of {@link createHttpServer}. */
export interface HttpServerOptions {
  readonly logger: Logger;
  /** What must hold for `/health/ready` to answer 200, by name. */
  readonly readiness?: Readonly<Record<string, ReadinessCheck>>;
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
    frameworkErrors: answerMalformedAddress,
    ...options.fastify,
  }) as FastifyInstance; // the logger's type parameter is of no use to callers
  // Node exchanges the two when the one for headers, 60 s by default, is the longer: bodies would have that time.
  server.server.headersTimeout = requestTimeoutMs;
  addHealthRoutes(server, options.readiness ?? {});
  closeConnectionsInOrder(server);
  return server;
}

/** Fastify's own answer names its error codes. */
function answerMalformedAddress(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void reply.status(400).send({ error: 'Bad Request', message: 'The address is not well-formed.' });
}

const CLOSING_CHECK_MS = 50;

/**
 * Fastify closes the connections that are idle when it begins to close, and waits for all others. Some of those never
 * end by themselves in good time: one that carries a request now stays open for the keep-alive time-out after its answer,
 * and one on which no request has arrived whole (browsers open some in advance) waits for the rest of it. So the idle
 * ones are closed again and again, and all that is left as soon as nothing is being answered.
 */
function closeConnectionsInOrder(server: FastifyInstance): void {
  const http = server.server;
  let answering = 0;
  http.on('request', (_request, response) => {
    answering += 1;
    response.once('close', () => (answering -= 1));
  });
  server.addHook('preClose', async () => {
    const check = setInterval(() => {
      if (answering === 0) http.closeAllConnections();
      else http.closeIdleConnections();
    }, CLOSING_CHECK_MS);
    if (http.listening) http.once('close', () => clearInterval(check));
    else clearInterval(check);
  });
}
