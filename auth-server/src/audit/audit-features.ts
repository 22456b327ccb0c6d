import type { AuditStore } from './audit-store.ts';
import type { Audit } from './audit.ts';
import type { AuthServerMetrics } from './auth-server-metrics.ts';

/** What happens is recorded, and counted. */
export interface AuditFeatures {
  readonly audit: Audit;
  readonly auditStore: AuditStore;
  readonly metrics: AuthServerMetrics;
}
