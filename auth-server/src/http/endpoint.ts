import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestHookHandler,
} from 'fastify';

/** Answers a request. */
export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** What an endpoint does, by method. */
export type MethodHandlers = Readonly<
  Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', RouteHandler>>
>;

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Settings of {@link addEndpoint}. */
export interface EndpointOptions {
  /** Pages of any origin may call it, without credentials. @default false */
  readonly cors?: boolean;
}

/**
 * Adds an endpoint that responds with 405 with `Allow` to the methods that it does not have. HEAD is not implied by GET, because
 * a GET may issue a code.
 */
export function addEndpoint(
  server: FastifyInstance,
  url: string,
  handlers: MethodHandlers,
  { cors = false }: EndpointOptions = {},
): void {
  const allowed = Object.keys(handlers) as HTTPMethods[];
  // In a hook, so that pages of other origins can read what is rejected before the handler.
  const onRequest = cors ? [allowAnyOrigin] : [];
  for (const [method, handler] of Object.entries(handlers)) {
    server.route({ method, url, exposeHeadRoute: false, onRequest, handler });
  }
  const others = METHODS.filter((method) => !allowed.includes(method) && !(cors && method === 'OPTIONS'));
  // In a hook, so that it comes before the body is looked at.
  const rejectMethod = reject(allowed);
  const config = { isFixed: true };
  server.route({
    method: others,
    url,
    config,
    onRequest: [...onRequest, async (request, reply) => rejectMethod(request, reply)],
    handler: rejectMethod,
  });
  if (cors) server.route({ method: 'OPTIONS', url, config, handler: preflight(allowed) });
}

function reject(allowed: readonly string[]): RouteHandler {
  const allow = allowed.join(', ');
  return (_request, reply) =>
    reply
      .status(405)
      .header('allow', allow)
      .send({
        error: 'invalid_request',
        error_description: `Use ${allow} here.`,
      });
}

/** No cookie matters at these endpoints, so any origin may read their responses. */
const allowAnyOrigin: onRequestHookHandler = (_request, reply, done) => {
  reply.headers({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, Retry-After, DPoP-Nonce',
  });
  done();
};

function preflight(allowed: readonly string[]): RouteHandler {
  return (_request, reply) =>
    reply
      .status(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': allowed.join(', '),
        'access-control-allow-headers': 'Authorization, Content-Type, DPoP',
        'access-control-max-age': '7200',
      })
      .send();
}
