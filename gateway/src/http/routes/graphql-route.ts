import { METHODS } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { rejected } from '../../errors.ts';
import { preventCsrf } from '../message/cross-origin.ts';
import { assertReadableBody, isJsonBody, isUploadBody } from '../message/media-types.ts';
import { assertUploadLength } from '../upload/upload-request.ts';
import { documentPaths } from './document-address.ts';
import { addEventStreamMethods, EVENT_STREAM_METHODS } from './event-stream-route.ts';
import { respondToGet, respondToPost, type GraphqlRouteOptions } from './respond-on-route.ts';
import { sendFailure } from './send-response.ts';

/**
 * Serves GraphQL over HTTP: POST with a request or a batch, GET for queries; and streams of results in the bodies of
 * responses, to clients that take them. The body is read here, not by Fastify, whose JSON parser rejects some names of
 * variables in a form that is not GraphQL's.
 *
 * @see GraphQL over HTTP; the protocol of graphql-sse, both modes
 */
export function addGraphqlRoute(server: FastifyInstance, options: GraphqlRouteOptions): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The usual type by its name as well: what only `*` stands for is parsed again with each request.
    scope.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    // Files are read while they arrive.
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
    scope.setErrorHandler<FastifyError>((error, request, reply) =>
      sendFailure(error, request, reply, options),
    );
    for (const method of OTHER_METHODS)
      if (!scope.supportedMethods.includes(method)) scope.addHttpMethod(method, { hasBody: true });
    for (const path of [options.path, options.streamPath]) addMethods(scope, path, options);
    for (const path of documentPaths(options.path)) addQueryMethods(scope, path, options);
  });
}

function addMethods(scope: FastifyInstance, url: string, options: GraphqlRouteOptions): void {
  addQueryMethods(scope, url, options);
  const isStream = url === options.streamPath;
  if (isStream) addEventStreamMethods(scope, url, options);
  const others = OTHER_METHODS.filter((method) => !isStream || !EVENT_STREAM_METHODS.has(method));
  scope.route({ method: others, url, onRequest: async () => rejectMethod(), handler: rejectMethod });
}

function addQueryMethods(scope: FastifyInstance, url: string, options: GraphqlRouteOptions): void {
  scope.route({
    method: 'POST',
    url,
    onRequest: hookOf((request) => admitPost(request, options)),
    preParsing: options.boundBodies,
    bodyLimit: Number.MAX_SAFE_INTEGER, // boundBodies knows the one that is in force
    handler: (request, reply) => respondToPost(request, reply, options),
  });
  scope.route({
    method: 'GET',
    url,
    onRequest: url === options.path ? pageFirst(options) : checkGet(options),
    handler: (request, reply) => respondToGet(request, reply, options),
  });
}

/** Whatever else Node understands. A CONNECT never becomes a request. */
const OTHER_METHODS = METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'POST'].includes(method));

/** Before the body is read, which is not needed. */
function rejectMethod(): never {
  throw rejected('METHOD_NOT_ALLOWED', 'GraphQL is served by POST and GET.');
}

/** A check that rejects by throwing, as a hook without a promise: most requests wait for nothing here. */
function hookOf(check: (request: FastifyRequest) => void): onRequestHookHandler {
  return (request, _reply, done) => {
    try {
      check(request);
    } catch (error) {
      return done(error as Error); // a RequestError
    }
    done();
  };
}

function checkGet({ allowsOrigin }: GraphqlRouteOptions): onRequestHookHandler {
  return hookOf((request) => preventCsrf(request.headers, false, allowsOrigin));
}

/** A browser that goes to the graph gets to a page. Nothing is run for it, wherever it comes from. */
function pageFirst(options: GraphqlRouteOptions): onRequestHookHandler {
  const check = checkGet(options);
  return function (this: FastifyInstance, request, reply, done) {
    const page = options.pageOf?.(request);
    if (page === undefined) return check.call(this, request, reply, done);
    reply.headers({ 'cache-control': 'no-store', vary: 'Accept' }).redirect(page, 303);
  };
}

/** Before the body is read: a body that is not allowed need not arrive. */
function admitPost({ headers }: FastifyRequest, { allowsOrigin, settings }: GraphqlRouteOptions): void {
  preventCsrf(headers, isJsonBody(headers), allowsOrigin);
  const { uploads } = settings();
  assertReadableBody(headers, uploads !== undefined);
  if (uploads && isUploadBody(headers)) assertUploadLength(headers, uploads);
}
