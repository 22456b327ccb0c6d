import { createFlatLogger, type Logger } from '@trellis/runtime';
import type { AuditWriter } from './audit-writer.ts';
import type { AuthServerMetrics } from './auth-server-metrics.ts';
import { countRepeatedFailures, type Failure } from './repeated-failures.ts';
import type { RevocationReason } from './revocation-reason.ts';

/** Who changed something: the command line, a client that registered itself, or who called the admin API. */
export type Actor = 'command' | DistantActor;

/** Someone who changed something from elsewhere. */
export interface DistantActor {
  readonly name: 'registration' | `client ${string}` | `user ${string}`;
  readonly address: string;
}

/** A security event, of one level. Identifiers only: no token, code, password or secret has a place in it. */
export type AuditEvent =
  | { readonly event: 'signed_in'; readonly subject: string; readonly address: string }
  | {
      readonly event: 'sign_in_failed';
      /** Hash of the address that was typed, so that attempts on one account can be seen together. */
      readonly account: string;
      readonly address: string;
      readonly reason: 'credentials' | 'disabled' | 'throttled_account' | 'throttled_address';
    }
  | { readonly event: 'signed_out'; readonly subject: string }
  | {
      readonly event: 'consent_given' | 'consent_denied';
      readonly subject: string;
      readonly clientId: string;
      readonly scopes: readonly string[];
      readonly address: string;
    }
  | {
      readonly event: 'consent_withdrawn';
      readonly subject: string;
      readonly clientId: string;
      readonly address: string;
    }
  | {
      readonly event: 'grant_begun';
      readonly grantId: string;
      readonly subject: string;
      readonly clientId: string;
      readonly scopes: readonly string[];
      readonly address: string;
      /** The trusted issuer by whose word; undefined where the user has signed in here. */
      readonly issuer?: string | undefined;
    }
  | {
      /** A token of a trusted issuer, or an exchange, that was not acceptable. */
      readonly event: 'assertion_rejected' | 'token_exchange_rejected';
      readonly clientId: string;
      readonly address: string;
      readonly detail: string;
    }
  | {
      readonly event: 'token_exchanged';
      /** The grant that the new token ends with. */
      readonly grantId: string;
      readonly subject: string;
      readonly clientId: string;
      readonly audience: string;
      readonly scopes: readonly string[];
      /** Who acts in the subject's name; undefined for the subject itself. */
      readonly actor: string | undefined;
      readonly address: string;
    }
  | {
      readonly event: 'identity_linked' | 'identity_unlinked';
      readonly subject: string;
      readonly issuer: string;
      readonly by: Actor;
    }
  | {
      readonly event: 'code_replayed' | 'refresh_token_reused';
      readonly grantId: string;
      readonly clientId: string;
      readonly address: string;
    }
  | { readonly event: 'grant_revoked'; readonly grantId: string; readonly reason: RevocationReason }
  | {
      /** The access tokens of a user or of a client; grants stay. */
      readonly event: 'access_tokens_revoked';
      readonly subject?: string | undefined;
      readonly clientId?: string | undefined;
      readonly reason: RevocationReason;
    }
  | {
      readonly event: 'client_authentication_failed';
      /** Undefined for an id that no one has. */
      readonly clientId: string | undefined;
      readonly address: string;
      readonly detail: string;
    }
  | {
      readonly event: 'client_changed' | 'client_removed' | 'client_secret_rotated';
      readonly clientId: string;
      readonly by: Actor;
    }
  | {
      readonly event: 'account_signed_up' | 'password_changed' | 'password_reset' | 'account_exported';
      readonly subject: string;
    }
  | {
      readonly event:
        'account_added' | 'account_changed' | 'account_deleted' | 'account_disabled' | 'account_enabled';
      readonly subject: string;
      readonly by: Actor;
    }
  | {
      /** What an operator has done by the admin API or the console. */
      readonly event: 'administered';
      readonly operation: string;
      readonly subject?: string;
      readonly clientId?: string;
      readonly grantId?: string;
      readonly target?: string;
      readonly by: Actor;
    }
  | {
      readonly event: 'link_issued';
      readonly purpose: 'invitation' | 'reset' | 'sign_up' | 'change_email';
      /** Hash of the e-mail address. */
      readonly account: string;
      readonly by: Actor | 'user';
    }
  | { readonly event: 'keys_rotated'; readonly kids: readonly string[]; readonly by: Actor | 'schedule' };

/** What someone may have tried who should not; an operator looks at these first. */
const SUSPICIOUS: ReadonlySet<AuditEvent['event']> = new Set([
  'sign_in_failed',
  'code_replayed',
  'refresh_token_reused',
  'client_authentication_failed',
  'assertion_rejected',
  'token_exchange_rejected',
]);

/** Where security events go. */
export interface Audit {
  record(event: AuditEvent): void;
  /** Records what was only counted so far. */
  flush(): void;
}

/** What an audit works with. */
export interface AuditDependencies {
  readonly logger: Logger;
  readonly writer: AuditWriter;
  readonly metrics: AuthServerMetrics;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Counts events, stores them, and writes them as log records with `audit: true`: at level `warn` what may be an attack, at
 * `info` what happens every day. The metric has all of them, and the store, whatever the level of the log; failures that
 * anybody can repeat without end are one row with their number, after the first few.
 */
export function createAudit({ logger, writer, metrics, clock }: AuditDependencies): Audit {
  const log = createFlatLogger(logger);
  const write = (name: AuditEvent['event'], fields: Readonly<Record<string, unknown>>): void => {
    const { subject, clientId, grantId, ...details } = fields;
    writer.write({
      occurredAt: clock(),
      event: name,
      subject: textOrNone(subject),
      clientId: textOrNone(clientId),
      grantId: textOrNone(grantId),
      details,
    });
    log[SUSPICIOUS.has(name) ? 'warn' : 'info']({ audit: true, event: name, ...fields }, name);
  };
  const repeated = countRepeatedFailures({
    onCounted: ({ event, clientId, network, why, count }) =>
      write(event, { clientId, network, [WHY[event]]: why, repeated: count }),
  });
  return {
    record: (event) => {
      const { event: name, ...fields } = 'by' in event ? withAddress(event) : event;
      metrics.auditEvents.inc({ event: name });
      const failure = failureOf(event);
      if (failure === undefined || repeated.isFirst(failure)) write(name, fields);
    },
    flush: () => repeated.flush(),
  };
}

/** The name and the address of who changed something, where there is one. */
function withAddress<Event extends { readonly by: Actor | 'user' | 'schedule' }>(event: Event): Event {
  const { by } = event;
  return typeof by === 'string' ? event : { ...event, by: by.name, address: by.address };
}

/** Where failures that anybody can cause say why. */
const WHY = {
  sign_in_failed: 'reason',
  client_authentication_failed: 'detail',
  assertion_rejected: 'detail',
  token_exchange_rejected: 'detail',
} as const;

function failureOf(event: AuditEvent): Failure | undefined {
  switch (event.event) {
    case 'sign_in_failed':
      return { event: event.event, address: event.address, why: event.reason };
    case 'client_authentication_failed':
    case 'assertion_rejected':
    case 'token_exchange_rejected':
      return { event: event.event, address: event.address, clientId: event.clientId, why: event.detail };
    default:
      return undefined;
  }
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
