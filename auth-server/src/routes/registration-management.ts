import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  removeClient,
  replaceClient,
  untilUndisturbed,
  type ClientAdministrationFeatures,
  type ReplacementOutcome,
} from '../administration/clients.ts';
import { isClientId } from '../clients/client-metadata.ts';
import { NO_HASH } from '../clients/client-registry.ts';
import type { Client } from '../clients/client-store.ts';
import { OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { paths } from '../paths.ts';
import { equalsConstantTime, randomToken, sha256 } from '../secrets/secrets.ts';
import { readHeaderToken, rejectedToken } from './presented-token.ts';
import { isOwnMetadata, ownMetadata } from './own-metadata.ts';
import { registrationError } from './registration-error.ts';

/** What clients manage their registrations with. */
export type RegistrationManagementFeatures = ClientAdministrationFeatures;

/** What a registration is answered with beside its metadata. RFC 7592 §3 */
interface RegistrationAccess {
  readonly registration_client_uri: string;
  readonly registration_access_token: string;
}

/** A client, and the hash of the token by which it has shown that the registration is its own. */
interface OwnRegistration {
  readonly client: Client;
  readonly tokenHash: string;
}

/** Members of responses that no update may have. RFC 7592 §2.2 */
const NOT_SENT = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
];

/**
 * The endpoint of one registration, for the client that has registered itself: it reads, replaces and removes it by its
 * registration access token.
 *
 * @see RFC 7592
 */
export function addRegistrationManagementRoute(
  server: FastifyInstance,
  features: RegistrationManagementFeatures,
): void {
  const { issuer } = features.settings;
  addEndpoint(
    server,
    `${paths.register}/:id`,
    {
      GET: async (request, reply) => {
        const { client } = await findOwn(features, request);
        const access = accessTo(issuer, client, readHeaderToken(request).text);
        return reply.header('cache-control', 'no-store').send({ ...client.metadata, ...access });
      },
      PUT: async (request, reply) => {
        const token = randomToken();
        const outcome = await untilUndisturbed(() => replaceOwn(features, request, token));
        return sendReplaced(issuer, outcome, token, reply);
      },
      DELETE: async (request, reply) => {
        const { client } = await findOwn(features, request);
        const { client_id: clientId } = client.metadata;
        await removeClient(features, clientId, actorOf(client, request));
        return reply.status(204).header('cache-control', 'no-store').send();
      },
    },
    { cors: true },
  );
}

/** Address and token of a registration. @param token in clear: its hash alone is stored */
export function accessTo(issuer: string, { metadata }: Client, token: string): RegistrationAccess {
  return {
    registration_client_uri: `${issuer}${paths.register}/${encodeURIComponent(metadata.client_id)}`,
    registration_access_token: token,
  };
}

/**
 * The registration that the request is about, if it brings its token. A token that was replaced is good until its successor
 * has been used: the response that brought that may have been lost.
 *
 * @throws OAuthError 401 invalid_token, whether or not there is such a client
 */
async function findOwn(
  features: RegistrationManagementFeatures,
  request: FastifyRequest,
): Promise<OwnRegistration> {
  const { clientStore } = features;
  const { scheme, text } = readHeaderToken(request);
  const tokenHash = sha256(text);
  const { id = '' } = request.params as Readonly<Record<string, string>>;
  const client = isClientId(id) ? await clientStore.find(id) : undefined;
  const { hash = NO_HASH, previousHash = NO_HASH } = client?.registrationToken ?? {};
  const isCurrent = equalsConstantTime(tokenHash, hash);
  const isPrevious = equalsConstantTime(tokenHash, previousHash);
  if (!client || scheme !== 'Bearer' || !(isCurrent || isPrevious)) {
    throw rejectedToken(scheme, 'invalid_token', 'The registration access token is not valid.');
  }
  if (isCurrent && client.registrationToken?.previousHash !== undefined) {
    await clientStore.endPreviousRegistrationToken(id, tokenHash);
    return findOwn(features, request);
  }
  return { client, tokenHash };
}

async function replaceOwn(
  features: RegistrationManagementFeatures,
  request: FastifyRequest,
  token: string,
): Promise<ReplacementOutcome> {
  const { client, tokenHash } = await findOwn(features, request);
  if (!isOwnMetadata(client.metadata)) {
    const description =
      'An administrator has given the client what it can not ask for, and changes it alone.';
    throw new OAuthError('access_denied', description, { status: 403 });
  }
  const known = { ...client, registrationToken: { hash: sha256(token), previousHash: tokenHash } };
  const value = ownMetadata(readUpdate(request.body, client, features));
  return replaceClient(features, known, value, actorOf(client, request));
}

/** Members that are null count as absent; absent ones go back to their defaults. RFC 7592 §2.2 */
function readUpdate(
  body: unknown,
  { metadata, secretHash }: Client,
  { clients }: RegistrationManagementFeatures,
): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const unsent = NOT_SENT.filter((name) => Object.hasOwn(given, name));
  if (unsent.length > 0) throw registrationError([`${unsent.join(', ')}: can't be changed`]);
  const { client_id: clientId, client_secret: secret, ...rest } = given;
  if (clientId !== metadata.client_id)
    throw registrationError(['client_id: must be that of the registration']);
  const isKnownSecret =
    typeof secret === 'string' && clients.isSecret(clientId, secret, secretHash ?? NO_HASH);
  if (secret !== undefined && !isKnownSecret)
    throw registrationError(['client_secret: is not the one that was issued']);
  return rest;
}

function sendReplaced(
  issuer: string,
  outcome: ReplacementOutcome,
  token: string,
  reply: FastifyReply,
): FastifyReply {
  switch (outcome.kind) {
    case 'problems':
      throw registrationError(outcome.problems);
    case 'gone':
      throw rejectedToken('Bearer', 'invalid_token', 'The registration access token is not valid.');
    case 'changed':
      throw new OAuthError('invalid_request', 'The client was changed at the same time.', { status: 409 });
    case 'registered': {
      const { client, secret } = outcome;
      return reply.header('cache-control', 'no-store').send({
        ...client.metadata,
        ...accessTo(issuer, client, token),
        ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
      });
    }
    default:
      return outcome satisfies never;
  }
}

function actorOf(
  { metadata }: Client,
  request: FastifyRequest,
): { name: `client ${string}`; address: string } {
  return { name: `client ${metadata.client_id}`, address: request.ip };
}
