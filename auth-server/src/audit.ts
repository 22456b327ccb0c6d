import type { Logger } from '@trellis/deployable';
import type { RevocationReason } from './stores/grant-store.ts';

/** A security event. Identifiers only: no token, code, password or secret has a place in it. */
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
    }
  | {
      readonly event: 'grant_begun';
      readonly grantId: string;
      readonly subject: string;
      readonly clientId: string;
      readonly scopes: readonly string[];
    }
  | {
      readonly event: 'code_replayed' | 'refresh_token_reused';
      readonly grantId: string;
      readonly clientId: string;
    }
  | { readonly event: 'grant_revoked'; readonly grantId: string; readonly reason: RevocationReason }
  | { readonly event: 'client_authentication_failed'; readonly clientId: string; readonly detail: string }
  | { readonly event: 'client_changed' | 'client_removed'; readonly clientId: string; readonly by: string }
  | { readonly event: 'account_added' | 'account_disabled'; readonly subject: string }
  | { readonly event: 'keys_rotated'; readonly kids: readonly string[] };

/** Where security events go. */
export interface Audit {
  record(event: AuditEvent): void;
}

/** Writes events as log records with `audit: true`, at a level that no configuration short of silent drops. */
export function createAudit(logger: Logger): Audit {
  return { record: (event) => logger.warn({ audit: true, ...event }, event.event) };
}
