import type { Metrics } from '@trellis/runtime';
import { Counter, Histogram } from 'prom-client';

/** What the auth-server counts. */
export interface AuthServerMetrics {
  /** Responses with tokens, by grant type. */
  readonly tokensIssued: Counter<'grant_type'>;
  /** Responses with an OAuth error, by code. */
  readonly errors: Counter<'error'>;
  /** Sign-ins by outcome: signed_in, credentials, disabled, throttled_account, throttled_address. */
  readonly signIns: Counter<'outcome'>;
  /** Logout notifications by outcome: delivered, failed, dropped. */
  readonly backChannelLogouts: Counter<'outcome'>;
  /** Fetches of key sets that clients publish, by outcome: fetched, failed. */
  readonly clientKeySets: Counter<'outcome'>;
  /** Attempts to hand messages over, by outcome: delivered, failed, rejected, expired. */
  readonly mailMessages: Counter<'outcome'>;
  /** Security events, by name. */
  readonly auditEvents: Counter<'event'>;
  /** Security events that could not be stored; they are in the log alone. */
  readonly auditEventsDropped: Counter;
  /** Grants that ended before their time, by reason. */
  readonly revocations: Counter<'reason'>;
  /** Duration of requests by route and status class. */
  readonly requestDuration: Histogram<'route' | 'status'>;
}

/** Makes the metrics in a registry. */
export function createAuthServerMetrics(registry: Metrics): AuthServerMetrics {
  const registers = [registry];
  return {
    tokensIssued: new Counter({
      name: 'trellis_auth_tokens_issued_total',
      help: 'Token responses, by grant type.',
      labelNames: ['grant_type'],
      registers,
    }),
    errors: new Counter({
      name: 'trellis_auth_errors_total',
      help: 'OAuth error responses.',
      labelNames: ['error'],
      registers,
    }),
    signIns: new Counter({
      name: 'trellis_auth_sign_ins_total',
      help: 'Sign-in attempts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    backChannelLogouts: new Counter({
      name: 'trellis_auth_backchannel_logouts_total',
      help: 'Logout notifications, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    clientKeySets: new Counter({
      name: 'trellis_auth_client_key_sets_total',
      help: 'Fetches of client key sets (jwks_uri), by outcome: fetched, failed.',
      labelNames: ['outcome'],
      registers,
    }),
    mailMessages: new Counter({
      name: 'trellis_auth_mail_messages_total',
      help: 'Mail delivery attempts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    auditEvents: new Counter({
      name: 'trellis_auth_audit_events_total',
      help: 'Audit events, by name.',
      labelNames: ['event'],
      registers,
    }),
    auditEventsDropped: new Counter({
      name: 'trellis_auth_audit_events_dropped_total',
      help: 'Audit events that could not be stored and are only in the log.',
      registers,
    }),
    revocations: new Counter({
      name: 'trellis_auth_grants_revoked_total',
      help: 'Grants revoked before they expired.',
      labelNames: ['reason'],
      registers,
    }),
    requestDuration: new Histogram({
      name: 'trellis_auth_request_duration_seconds',
      help: 'Seconds from a request to its response, by route and status.',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5],
      registers,
    }),
  };
}
