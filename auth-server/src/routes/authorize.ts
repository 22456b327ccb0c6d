import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  checkAuthorizationRequest,
  knownParameters,
  openRequest,
  requirePushed,
  resolveTarget,
} from '../authorize/index.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { parametersOf, type Parameters } from '../parameters.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../http/paths.ts';
import { proceed, redirect, redirectError } from './proceed.ts';
import { readSession } from './read-session.ts';
import type { RouteContext } from './route-context.ts';

/**
 * The authorization endpoint. A posted request is sealed into an address that the browser fetches, because browsers withhold
 * SameSite=Lax cookies from a POST of another site.
 *
 * @see RFC 6749 §3.1, OpenID Connect Core §3.1.2
 */
export function addAuthorizeRoutes(server: FastifyInstance, context: RouteContext): void {
  const { services } = context;
  addEndpoint(server, paths.authorize, {
    GET: (request, reply) => authorize(context, knownParameters(queryParameters(request)), request, reply),
    POST: (request, reply) => resumePosted(context, knownParameters(formParameters(request)), reply),
  });
  addEndpoint(server, paths.resume, {
    GET: async (request, reply) => {
      const posted = services.transactions.openPosted(queryParameters(request).get('posted') ?? '');
      if (!posted) throw pageExpired('no such posted request');
      return authorize(context, parametersOf(posted), request, reply);
    },
  });
}

async function authorize(
  context: RouteContext,
  outer: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { services } = context;
  const { parameters, pushedId } = await openRequest(outer, services.pushedRequests);
  const resolved = await resolveTarget(parameters, services);
  const session = await readSession(context, request);
  try {
    requirePushed(resolved.client, pushedId);
    const checked = await checkAuthorizationRequest(resolved, parameters, services);
    const authorization = { ...checked, pushedId };
    return await proceed(context, { request: authorization, session, bound: undefined }, request, reply);
  } catch (error) {
    return redirectError(context, resolved.target, error, reply, session);
  }
}

/** Only a good request is sent on. */
async function resumePosted(
  context: RouteContext,
  outer: Parameters,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { services } = context;
  const { parameters } = await openRequest(outer, services.pushedRequests);
  const resolved = await resolveTarget(parameters, services);
  try {
    await checkAuthorizationRequest(resolved, parameters, services);
    const posted = services.transactions.sealPosted(outer.entries());
    return redirect(reply, `${services.settings.issuer}${paths.resume}?posted=${posted}`);
  } catch (error) {
    return redirectError(context, resolved.target, error, reply, undefined);
  }
}
