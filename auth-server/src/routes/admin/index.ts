import type { FastifyInstance } from 'fastify';
import { acceptJson } from '../../http/accept-json.ts';
import { addEndpoint } from '../../http/endpoint.ts';
import { queryParameters } from '../../http/request-parameters.ts';
import { rotateSigningKeys } from '../../keys/signing-keys.ts';
import { addAccountAdministration } from './accounts.ts';
import { authorized, parameterOf, required, type AdminContext } from './admin-context.ts';
import { addClientAdministration } from './clients.ts';

export type { Administration, AdminContext } from './admin-context.ts';

const MAX_EVENTS = 1_000;

/** The admin API: JSON, for tokens with its own audience and scopes. Everything that it does is in the audit log. */
export function addAdminRoutes(server: FastifyInstance, context: AdminContext): void {
  acceptJson(server);
  addClientAdministration(server, context);
  addAccountAdministration(server, context);
  addGrantAdministration(server, context);
  addKeyAdministration(server, context);
  addAuditEvents(server, context);
}

function addGrantAdministration(server: FastifyInstance, context: AdminContext): void {
  addEndpoint(server, '/grants/:id', {
    DELETE: authorized(context, 'auth:grants:write', async (request, reply) => {
      const wasLive = await context.services.revoker.revoke(parameterOf(request, 'id'), 'operator');
      required(wasLive ? true : undefined);
      return reply.status(204).send();
    }),
  });
}

function addKeyAdministration(server: FastifyInstance, context: AdminContext): void {
  const { signingKeys, services } = context;
  addEndpoint(server, '/keys', {
    GET: authorized(context, 'auth:keys:read', async (_request, reply) => {
      const keys = (await signingKeys.store.list()).map(({ kid, algorithm, state, createdAt }) => ({
        kid,
        algorithm,
        state,
        created_at: Math.floor(createdAt / 1000),
      }));
      return reply.send({ keys });
    }),
  });
  addEndpoint(server, '/keys/rotate', {
    POST: authorized(context, 'auth:keys:write', async (_request, reply, by) => {
      const { activated, waitS } = await rotateSigningKeys(signingKeys, false);
      if (activated.length > 0) services.audit.record({ event: 'keys_rotated', kids: activated, by });
      await services.keyring.reload();
      return reply.status(waitS > 0 ? 202 : 200).send({ activated, wait_seconds: waitS });
    }),
  });
}

function addAuditEvents(server: FastifyInstance, context: AdminContext): void {
  addEndpoint(server, '/audit-events', {
    GET: authorized(context, 'auth:audit:read', async (request, reply) => {
      const query = queryParameters(request);
      const events = await context.auditStore.list({
        event: query.get('event'),
        subject: query.get('subject'),
        clientId: query.get('client_id'),
        grantId: query.get('grant_id'),
        before: numberOrNone(query.get('before')),
        limit: Math.min(Number(numberOrNone(query.get('limit')) ?? 100), MAX_EVENTS),
      });
      return reply.send({
        events: events.map(({ id, occurredAt, event, subject, clientId, grantId, details }) => ({
          id,
          at: new Date(occurredAt).toISOString(),
          event,
          subject,
          client_id: clientId,
          grant_id: grantId,
          details,
        })),
      });
    }),
  });
}

function numberOrNone(text: string | undefined): string | undefined {
  return text !== undefined && /^[1-9]\d{0,17}$/.test(text) ? text : undefined;
}
