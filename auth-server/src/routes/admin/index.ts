import type { FastifyInstance } from 'fastify';
import { acceptJson } from '../../http/accept-json.ts';
import { addEndpoint } from '../../http/endpoint.ts';
import { queryParameters } from '../../http/request-parameters.ts';
import { rotateSigningKeys } from '../../keys/signing-keys.ts';
import { addAccountAdministration, type AccountApiFeatures } from './accounts.ts';
import { authorized, parameterOf, required, type AuthorizedFeatures } from './admin-context.ts';
import { addClientAdministration, type ClientApiFeatures } from './clients.ts';
import type { KeyFeatures } from '../../keys/key-features.ts';
import type { AuditFeatures } from '../../audit/audit-features.ts';
import type { GrantFeatures } from '../../grants/grant-features.ts';

/** What the admin API works with. */
export type AdminApiFeatures = KeyFeatures &
  Pick<AuditFeatures, 'audit' | 'auditStore'> &
  Pick<GrantFeatures, 'revoker'> &
  AccountApiFeatures &
  AuthorizedFeatures &
  ClientApiFeatures;

const MAX_EVENTS = 1_000;

/** The admin API: JSON, for tokens with its own audience and scopes. Everything that it does is in the audit log. */
export function addAdminRoutes(server: FastifyInstance, features: AdminApiFeatures): void {
  acceptJson(server);
  addClientAdministration(server, features);
  addAccountAdministration(server, features);
  addGrantAdministration(server, features);
  addKeyAdministration(server, features);
  addAuditEvents(server, features);
}

function addGrantAdministration(server: FastifyInstance, features: AdminApiFeatures): void {
  addEndpoint(server, '/grants/:id', {
    DELETE: authorized(features, 'auth:grants:write', async (request, reply) => {
      const wasLive = await features.revoker.revoke(parameterOf(request, 'id'), 'operator');
      required(wasLive ? true : undefined);
      return reply.status(204).send();
    }),
  });
}

function addKeyAdministration(server: FastifyInstance, features: AdminApiFeatures): void {
  const { signingKeys } = features;
  addEndpoint(server, '/keys', {
    GET: authorized(features, 'auth:keys:read', async (_request, reply) => {
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
    POST: authorized(features, 'auth:keys:write', async (_request, reply, by) => {
      const { activated, waitS } = await rotateSigningKeys(signingKeys, false);
      if (activated.length > 0) features.audit.record({ event: 'keys_rotated', kids: activated, by });
      await features.keyring.reload();
      return reply.status(waitS > 0 ? 202 : 200).send({ activated, wait_seconds: waitS });
    }),
  });
}

function addAuditEvents(server: FastifyInstance, features: AdminApiFeatures): void {
  addEndpoint(server, '/audit-events', {
    GET: authorized(features, 'auth:audit:read', async (request, reply) => {
      const query = queryParameters(request);
      const events = await features.auditStore.list({
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
