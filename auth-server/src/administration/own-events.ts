import type { AuditFeatures } from '../audit/audit-features.ts';
import type { NumberedAuditEvent } from '../audit/audit-store.ts';
import type { Account } from '../accounts/accounts.ts';
import type { SignInFeatures } from '../accounts/sign-in/sign-in-features.ts';
import type { OwnEvent } from '../pages/texts/account-texts.ts';

/** What lists events of an account. */
export type OwnEventFeatures = Pick<AuditFeatures, 'auditStore'> & Pick<SignInFeatures, 'accountName'>;

/** A security event as the owner of the account may see it. */
export interface ListedOwnEvent {
  readonly name: OwnEvent;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly address: string | undefined;
  readonly clientId: string | undefined;
}

/** What owners of accounts understand; the rest is for operators. */
const OWN_EVENTS: Readonly<Record<OwnEvent, true>> = {
  signed_in: true,
  sign_in_failed: true,
  signed_out: true,
  consent_given: true,
  consent_denied: true,
  consent_withdrawn: true,
  password_changed: true,
  password_reset: true,
  account_added: true,
  account_changed: true,
  account_disabled: true,
  account_enabled: true,
  account_exported: true,
  account_signed_up: true,
  identity_linked: true,
  identity_unlinked: true,
};

/** What happened to an account, newest first. */
export async function listOwnEvents(
  { auditStore, accountName }: OwnEventFeatures,
  { id, email }: Account,
  limit: number,
): Promise<readonly ListedOwnEvent[]> {
  const names = Object.keys(OWN_EVENTS);
  const events = await auditStore.listOfSubject(id, accountName(email), names, limit);
  return events.map(toOwnEvent);
}

/** The address of an operator is the operator's. */
function toOwnEvent({ event, occurredAt, clientId, details }: NumberedAuditEvent): ListedOwnEvent {
  const isOfOther = details['by'] !== undefined;
  const address = isOfOther ? undefined : details['address'];
  return {
    name: event as OwnEvent, // of the names that were asked for
    at: occurredAt,
    address: typeof address === 'string' ? address : undefined,
    clientId,
  };
}
