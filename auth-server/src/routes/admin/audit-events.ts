import { z } from 'zod';
import type { AuditFeatures } from '../../audit/audit-features.ts';
import type { AdminOperation, PerformFeatures } from './admin-operation.ts';

/** What the list of audit events works with. */
export type AuditApiFeatures = Pick<AuditFeatures, 'auditStore'> & PerformFeatures;

const MAX_EVENTS = 1_000;

/** A security event as the API shows it. */
export interface AuditEventJson {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly event: string;
  readonly subject?: string | undefined;
  readonly client_id?: string | undefined;
  readonly grant_id?: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

const eventSchema = z.object({
  id: z.string(),
  at: z.string(),
  event: z.string(),
  subject: z.string().optional(),
  client_id: z.string().optional(),
  grant_id: z.string().optional(),
  details: z.record(z.string(), z.unknown()),
});

/** Lists security events, newest first. */
export const listAuditEvents: AdminOperation<AuditApiFeatures, { events: readonly AuditEventJson[] }> = {
  id: 'listAuditEvents',
  method: 'GET',
  path: '/audit-events',
  scope: 'auth:audit:read',
  summary: 'Lists security events, newest first.',
  query: {
    event: 'Name of the events.',
    subject: 'Id of the account that they are about.',
    client_id: 'The client that they are about.',
    grant_id: 'The grant that they are about.',
    before: 'The id that the page before ended with.',
    limit: 'How many at most, up to 1000. Default: 100.',
  },
  output: z.object({ events: z.array(eventSchema) }),
  statuses: [200],
  run: async ({ auditStore }, { query }) => {
    const events = await auditStore.list({
      event: query.get('event'),
      subject: query.get('subject'),
      clientId: query.get('client_id'),
      grantId: query.get('grant_id'),
      before: numberOrNone(query.get('before')),
      limit: Math.min(Number(numberOrNone(query.get('limit')) ?? 100), MAX_EVENTS),
    });
    const listed = events.map(({ id, occurredAt, event, subject, clientId, grantId, details }) => ({
      id,
      at: new Date(occurredAt).toISOString(),
      event,
      subject,
      client_id: clientId,
      grant_id: grantId,
      details,
    }));
    return { status: 200, body: { events: listed } };
  },
};

function numberOrNone(text: string | undefined): string | undefined {
  return text !== undefined && /^[1-9]\d{0,17}$/.test(text) ? text : undefined;
}
