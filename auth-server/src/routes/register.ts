import type { FastifyInstance, FastifyRequest } from 'fastify';
import { registerClient, type ClientAdministrationFeatures } from '../administration/clients.ts';
import { acceptJson } from '../http/accept-json.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { heldAdminScopes } from '../clients/scopes.ts';
import { equalsConstantTime, sha256 } from '../secrets/secrets.ts';
import { nowS, type HasClock } from '../clock.ts';
import { paths } from '../paths.ts';
import { readHeaderToken, rejectedToken } from './presented-token.ts';
import { registrationError } from './registration-error.ts';

/** What the registration of clients works with. */
export type RegistrationFeatures = HasClock & ClientAdministrationFeatures;

/** What a client that registers itself may not say of itself. */
const NOT_ITS_OWN = {
  first_party: false,
  refresh_reuse_leeway_seconds: 0,
  unvetted: true,
  pkce_exempt: false,
  token_endpoint_audience: false,
};

/**
 * Registration of clients by themselves, for those that bring the initial access token.
 *
 * @see RFC 7591 §3
 */
export function addRegistrationRoute(
  server: FastifyInstance,
  features: RegistrationFeatures,
  initialAccessToken: string,
): void {
  acceptJson(server);
  addEndpoint(
    server,
    paths.register,
    {
      POST: async (request, reply) => {
        checkInitialToken(request, initialAccessToken);
        const by = { name: 'registration', address: request.ip } as const;
        const registrant = { source: 'registration', by } as const;
        const outcome = await registerClient(features, ownMetadata(request.body), registrant);
        if (outcome.kind === 'problems') throw registrationError(outcome.problems);
        const { client, secret } = outcome;
        const response = {
          ...client.metadata,
          client_id_issued_at: nowS(features),
          ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
        };
        return reply.status(201).header('cache-control', 'no-store').send(response);
      },
    },
    { cors: true },
  );
}

function checkInitialToken(request: FastifyRequest, expected: string): void {
  const { scheme, text } = readHeaderToken(request);
  if (scheme === 'Bearer' && equalsConstantTime(sha256(text), sha256(expected))) return;
  throw rejectedToken(scheme, 'invalid_token', 'The initial access token is not valid.');
}

/**
 * The id is this server's to choose, administration is no one's to ask for, and what no user allows is for clients that an
 * administrator registers: a client that registered itself gets nothing without someone's consent.
 */
function ownMetadata(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { scope, client_id: _chosen, ...given }: Readonly<Record<string, unknown>> = { ...body };
  const { grant_types: grantTypes } = given;
  if (Array.isArray(grantTypes) && grantTypes.includes('client_credentials'))
    throw registrationError(["grant_types: client_credentials can't be registered for"]);
  const [forbidden] = typeof scope === 'string' ? heldAdminScopes(scope.split(' ')) : [];
  if (forbidden !== undefined) throw registrationError([`scope: ${forbidden} can't be registered for`]);
  return { ...given, ...(scope !== undefined && { scope }), ...NOT_ITS_OWN };
}
