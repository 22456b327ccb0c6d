import type { FastifyInstance } from 'fastify';
import {
  checkAuthorizationRequest,
  checkWay,
  knownParameters,
  openParameters,
  resolveTarget,
  type CheckRequestFeatures,
} from '../authorize/index.ts';
import { PUSHED_URN, type OpenParametersFeatures } from '../authorize/open-request.ts';
import { isFapi } from '../clients/security-profile.ts';
import { missingParameter, OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { parametersOf, type Parameters } from '../parameters.ts';
import { authenticateRequest, type AuthenticateRequestFeatures } from './authenticate-request.ts';
import { paths } from '../paths.ts';
import { offerNonce, readProof, type ReadProofFeatures } from './read-proof.ts';
import { takeRoom, type TakeRoomFeatures } from './take-room.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';

/** What the endpoint of pushed requests works with. */
export type PushedAuthorizationFeatures = Pick<AuthorizeFeatures, 'pushedRequests'> &
  CheckRequestFeatures &
  OpenParametersFeatures &
  AuthenticateRequestFeatures &
  ReadProofFeatures &
  TakeRoomFeatures;

/** The endpoint at which clients push authorization requests, which are checked as if they had been visited. RFC 9126 §2 */
export function addPushedAuthorizationRoute(
  server: FastifyInstance,
  features: PushedAuthorizationFeatures,
): void {
  addEndpoint(
    server,
    paths.par,
    {
      POST: async (request, reply) => {
        offerNonce(request, reply, features);
        const sent = formParameters(request);
        sent.assertUnrepeated();
        const client = await authenticateRequest(request, sent, features);
        const clientId = client.metadata.client_id;
        const keyThumbprint = await readProof(request, reply, paths.par, client, features);
        if (sent.get('request_uri') !== undefined) {
          throw new OAuthError('invalid_request', 'A pushed request has no request_uri.');
        }
        const opened = await openParameters(withClient(knownParameters(sent), clientId), features);
        const { requestObject } = opened;
        checkWay(client, { requestObject, pushedId: 'this' });
        if (isFapi(client.metadata) && opened.parameters.get('redirect_uri') === undefined)
          throw missingParameter('redirect_uri');
        const parameters = withKey(opened.parameters, keyThumbprint);
        await checkAuthorizationRequest(await resolveTarget(parameters, features), parameters, features);
        const pushed = { clientId, parameters: parameters.entries(), requestObject };
        takeRoom(request, client, JSON.stringify(pushed).length, features.pushedRequests.lifetimeS, features);
        const id = await features.pushedRequests.save(pushed);
        const response = { request_uri: `${PUSHED_URN}${id}`, expires_in: features.pushedRequests.lifetimeS };
        return reply.status(201).header('cache-control', 'no-store').send(response);
      },
    },
    { cors: true },
  );
}

/** A proof at this endpoint says the same as `dpop_jkt`. @throws OAuthError when they differ. RFC 9449 §10.1 */
function withKey(parameters: Parameters, keyThumbprint: string | undefined): Parameters {
  if (keyThumbprint === undefined) return parameters;
  const named = parameters.get('dpop_jkt');
  if (named !== undefined && named !== keyThumbprint) {
    throw new OAuthError('invalid_dpop_proof', 'The DPoP proof is of another key than dpop_jkt.');
  }
  const others = parameters.entries().filter(([name]) => name !== 'dpop_jkt');
  return parametersOf([...others, ['dpop_jkt', keyThumbprint]]);
}

/** A client that authenticates by header need not repeat its id. */
function withClient(parameters: Parameters, clientId: string): Parameters {
  const others = parameters.entries().filter(([name]) => name !== 'client_id');
  return parametersOf([...others, ['client_id', clientId]]);
}
