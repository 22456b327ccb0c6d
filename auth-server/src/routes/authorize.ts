import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  checkAuthorizationRequest,
  checkWay,
  knownParameters,
  openRequest,
  resolveTarget,
  type CheckRequestFeatures,
} from '../authorize/index.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { parametersOf, type Parameters } from '../parameters.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import { proceed, redirectError, type ProceedFeatures } from './proceed.ts';
import { redirect } from './send-response.ts';
import { readSession, type ReadSessionFeatures } from './read-session.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';
import type { OpenRequestFeatures } from '../authorize/open-request.ts';

/** What the authorization endpoint works with. */
export type AuthorizeEndpointFeatures = HasSettings &
  AuthorizeFeatures &
  CheckRequestFeatures &
  OpenRequestFeatures &
  ProceedFeatures &
  ReadSessionFeatures;

/**
 * The authorization endpoint. A posted request is sealed into an address that the browser fetches, because browsers withhold
 * SameSite=Lax cookies from a POST of another site.
 *
 * @see RFC 6749 §3.1, OpenID Connect Core §3.1.2
 */
export function addAuthorizeRoutes(server: FastifyInstance, features: AuthorizeEndpointFeatures): void {
  addEndpoint(server, paths.authorize, {
    GET: (request, reply) => authorize(features, knownParameters(queryParameters(request)), request, reply),
    POST: (request, reply) => resumePosted(features, knownParameters(formParameters(request)), reply),
  });
  addEndpoint(server, paths.resume, {
    GET: async (request, reply) => {
      const posted = features.transactions.openPosted(queryParameters(request).get('posted') ?? '');
      if (!posted) throw pageExpired('no such posted request');
      return authorize(features, parametersOf(posted), request, reply);
    },
  });
}

async function authorize(
  features: AuthorizeEndpointFeatures,
  outer: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { parameters, ...way } = await openRequest(outer, features);
  const resolved = await resolveTarget(parameters, features);
  const session = await readSession(features, request);
  try {
    checkWay(resolved.client, way);
    const checked = await checkAuthorizationRequest(resolved, parameters, features);
    const authorization = { ...checked, ...way };
    return await proceed(features, { request: authorization, session, bound: undefined }, request, reply);
  } catch (error) {
    return redirectError(features, resolved.target, error, reply, session);
  }
}

/** Only a good request is sent on. */
async function resumePosted(
  features: AuthorizeEndpointFeatures,
  outer: Parameters,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { parameters } = await openRequest(outer, features);
  const resolved = await resolveTarget(parameters, features);
  try {
    await checkAuthorizationRequest(resolved, parameters, features);
    const posted = features.transactions.sealPosted(outer.entries());
    return redirect(reply, `${features.settings.issuer}${paths.resume}?posted=${posted}`);
  } catch (error) {
    return redirectError(features, resolved.target, error, reply, undefined);
  }
}
