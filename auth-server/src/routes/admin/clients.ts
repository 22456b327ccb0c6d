import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  registerClient,
  removeClient,
  replaceClient,
  rotateSecret,
  untilUndisturbed,
  type NothingChanged,
  type ReplacementOutcome,
  type ClientAdministrationFeatures,
} from '../../administration/clients.ts';
import { OAuthError } from '../../errors.ts';
import { addEndpoint } from '../../http/endpoint.ts';
import type { Client } from '../../clients/client-store.ts';
import { registrationError } from '../registration-error.ts';
import {
  authorized,
  invalid,
  parameterOf,
  required,
  requireScopesOf,
  type Administrator,
  type AuthorizedFeatures,
} from './admin-context.ts';
import type { ClientFeatures } from '../../clients/client-features.ts';

/** What the administration of clients works with. */
export type ClientApiFeatures = Pick<ClientFeatures, 'clientStore'> &
  ClientAdministrationFeatures &
  AuthorizedFeatures;

const MAX_GRACE_S = 30 * 86_400;
const rotation = z.strictObject({ grace_seconds: z.int().min(0).max(MAX_GRACE_S).default(0) });

/** Clients: list, register, look at, replace, remove, and give another secret. */
export function addClientAdministration(server: FastifyInstance, features: ClientApiFeatures): void {
  const find = async (clientId: string): Promise<Client> =>
    required(await features.clientStore.find(clientId));
  const findChangeable = async (request: FastifyRequest, administrator: Administrator): Promise<Client> =>
    asRead(request, changeable(await find(parameterOf(request, 'id')), administrator));
  addEndpoint(server, '/clients', {
    GET: authorized(features, 'auth:clients:read', async (_request, reply) =>
      reply.send({ clients: (await features.clientStore.list()).map(describeClient) }),
    ),
    POST: authorized(features, 'auth:clients:write', async (request, reply, by, administrator) => {
      requireScopesOf(administrator, scopesIn(request.body));
      await rejectTaken(features, request.body);
      const outcome = await registerClient(features, request.body, { source: 'administration', by });
      return sendOutcome(outcome, reply.status(201));
    }),
  });
  addEndpoint(server, '/clients/:id', {
    GET: authorized(features, 'auth:clients:read', async (request, reply) =>
      sendClient(await find(parameterOf(request, 'id')), reply),
    ),
    PUT: authorized(features, 'auth:clients:write', async (request, reply, by, administrator) => {
      requireScopesOf(administrator, scopesIn(request.body));
      const outcome = await untilUndisturbed(async () =>
        replaceClient(features, await findChangeable(request, administrator), request.body, by),
      );
      return sendOutcome(outcome, reply);
    }),
    DELETE: authorized(features, 'auth:clients:write', async (request, reply, by, administrator) => {
      const { metadata } = await findChangeable(request, administrator);
      await removeClient(features, metadata.client_id, by);
      return reply.status(204).send();
    }),
  });
  addEndpoint(server, '/clients/:id/secret', {
    POST: authorized(features, 'auth:clients:write', async (request, reply, by, administrator) => {
      const parsed = rotation.safeParse(request.body ?? {});
      if (!parsed.success)
        throw invalid(parsed.error.issues.map(({ message }) => `grace_seconds: ${message}`));
      const { grace_seconds: graceS } = parsed.data;
      const outcome = await untilUndisturbed(async () => {
        const known = await findChangeable(request, administrator);
        if (known.secretHash === undefined) throw invalid(['The client has no secret.']);
        return rotateSecret(features, known, graceS, by);
      });
      const { secret } = requireChange(outcome);
      return reply.send({ client_secret: secret, client_secret_expires_at: 0 });
    }),
  });
}

/** Registering must not replace. */
async function rejectTaken({ clientStore }: ClientApiFeatures, body: unknown): Promise<void> {
  const clientId = z.object({ client_id: z.string() }).safeParse(body).data?.client_id;
  if (clientId === undefined || !(await clientStore.find(clientId))) return;
  throw new OAuthError('invalid_request', 'There is a client with this client_id.', { status: 409 });
}

/** What a file declares is changed there, or the next start would undo it. */
function changeable(client: Client, administrator: Administrator): Client {
  requireScopesOf(administrator, client.metadata.scope.split(' '));
  if (client.source !== 'file') return client;
  const description = 'The client is declared in the clients file; change it there.';
  throw new OAuthError('invalid_request', description, { status: 409 });
}

/** The scopes that metadata asks for; without any a client gets none of the admin API. */
function scopesIn(body: unknown): readonly string[] {
  return z.object({ scope: z.string() }).safeParse(body).data?.scope.split(' ') ?? [];
}

function sendOutcome(outcome: ReplacementOutcome, reply: FastifyReply): FastifyReply {
  if (outcome.kind === 'problems') throw registrationError(outcome.problems);
  const { client, secret } = requireChange(outcome);
  return reply.send({
    ...describeClient(client),
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
  });
}

function requireChange<Outcome extends { readonly kind: string }>(
  outcome: Outcome | NothingChanged,
): Exclude<Outcome, NothingChanged> {
  if (outcome.kind === 'changed') throw changedMeanwhile(409);
  return required(outcome.kind === 'gone' ? undefined : (outcome as Exclude<Outcome, NothingChanged>));
}

/** Where the caller says which version of the client it has seen, it changes that one alone. RFC 9110 §13.1.1 */
function asRead({ headers }: FastifyRequest, client: Client): Client {
  const expected = headers['if-match'];
  if (expected === undefined || expected === '*' || expected === tagOf(client)) return client;
  throw changedMeanwhile(412);
}

function changedMeanwhile(status: 409 | 412): OAuthError {
  return new OAuthError('invalid_request', 'The client was changed since it was read.', { status });
}

function tagOf({ incarnation, version }: Client): string {
  return `"${incarnation}.${version ?? ''}"`;
}

function sendClient(client: Client, reply: FastifyReply): FastifyReply {
  return reply.header('etag', tagOf(client)).send(describeClient(client));
}

function describeClient({ metadata, source }: Client): Readonly<Record<string, unknown>> {
  return { ...metadata, source };
}
