import type { FastifyInstance, FastifyRequest } from 'fastify';
import { registerClient, type ClientAdministrationFeatures } from '../administration/clients.ts';
import { acceptJson } from '../http/accept-json.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { equalsConstantTime, randomToken, sha256 } from '../secrets/secrets.ts';
import { nowS, type HasClock } from '../clock.ts';
import { paths } from '../paths.ts';
import { ownMetadata } from './own-metadata.ts';
import { readHeaderToken, rejectedToken } from './presented-token.ts';
import { accessTo } from './registration-management.ts';
import { registrationError } from './registration-error.ts';

/** What the registration of clients works with. */
export type RegistrationFeatures = HasClock & ClientAdministrationFeatures;

/**
 * Registration of clients by themselves, for those that bring the initial access token.
 *
 * @see RFC 7591 §3, RFC 7592 §3
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
        const token = randomToken();
        const registrant = { source: 'registration', by, registrationTokenHash: sha256(token) } as const;
        const outcome = await registerClient(features, ownMetadata(request.body), registrant);
        if (outcome.kind === 'problems') throw registrationError(outcome.problems);
        const { client, secret } = outcome;
        const response = {
          ...client.metadata,
          ...accessTo(features.settings.issuer, client, token),
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
