import { randomUUID } from 'node:crypto';
import Fastify, { LogController, type FastifyInstance, type FastifyServerOptions } from 'fastify';
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

/** A Fastify instance with health checks, request ids, bounds on what clients may send, and no banner. It does not listen yet. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const server = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.maxBodyBytes ?? 1_048_576,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what arrives on an open connection while draining is answered, and ends the connection
    genReqId: () => randomUUID(),
    ...options.fastify,
  }) as FastifyInstance; // the logger's type parameter is of no use to callers
  addHealthRoutes(server, options.readiness ?? {});
  closeConnectionsInOrder(server);
  return server;
}

const IDLE_CHECK_MS = 50;

/**
 * Fastify closes the connections that are idle when it begins to close. Those that carry a request then would stay open
 * for the keep-alive time-out after their answer, and closing would wait for them: they end as soon as they are idle.
 */
function closeConnectionsInOrder(server: FastifyInstance): void {
  server.addHook('preClose', async () => {
    const check = setInterval(() => server.server.closeIdleConnections(), IDLE_CHECK_MS);
    if (server.server.listening) server.server.once('close', () => clearInterval(check));
    else clearInterval(check);
  });
}
