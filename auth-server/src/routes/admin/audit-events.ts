import type { FastifyInstance } from 'fastify';
import type { AuditFeatures } from '../../audit/audit-features.ts';
import { addEndpoint } from '../../http/endpoint.ts';
import { queryParameters } from '../../http/request-parameters.ts';
import { authorized, type AuthorizedFeatures } from './admin-context.ts';

/** What the list of audit events works with. */
export type AuditApiFeatures = Pick<AuditFeatures, 'auditStore'> & AuthorizedFeatures;

const MAX_EVENTS = 1_000;

/** Lists what has been recorded, newest first. */
export function addAuditEvents(server: FastifyInstance, features: AuditApiFeatures): void {
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
