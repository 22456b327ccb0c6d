import type { FastifyInstance } from 'fastify';
import { acceptJson } from '../../http/accept-json.ts';
import { addAccountAdministration, type AccountApiFeatures } from './accounts.ts';
import { addAuditEvents, type AuditApiFeatures } from './audit-events.ts';
import { addClientAdministration, type ClientApiFeatures } from './clients.ts';
import { addGrantAdministration, type GrantApiFeatures } from './grants.ts';
import { addKeyAdministration, type KeyApiFeatures } from './keys.ts';

/** What the admin API works with. */
export type AdminApiFeatures = AccountApiFeatures &
  AuditApiFeatures &
  ClientApiFeatures &
  GrantApiFeatures &
  KeyApiFeatures;

/** The admin API: JSON, for tokens with its own audience and scopes. Everything that it does is in the audit log. */
export function addAdminRoutes(server: FastifyInstance, features: AdminApiFeatures): void {
  acceptJson(server);
  addClientAdministration(server, features);
  addAccountAdministration(server, features);
  addGrantAdministration(server, features);
  addKeyAdministration(server, features);
  addAuditEvents(server, features);
}
