import { isDeepStrictEqual } from 'node:util';
import type { QueueCaller } from '@trellis/runtime/admission';
import { mayLess, type Account, type Role } from '../accounts/accounts.ts';
import { hashCallerOf } from '../accounts/sign-in/hash-callers.ts';
import type { Actor } from '../audit/audit.ts';
import { newAccountId } from '../accounts/new-account-id.ts';
import type { AccountChanges, AccountUpdate, CredentialsState } from '../accounts/account-store.ts';
import { endSessionsOf, type EndSessionFeatures } from './end-session.ts';
import type { PageFeatures } from '../pages/language.ts';
import type { PageTexts } from '../pages/texts/page-texts.ts';
import type { HasClock } from '../clock.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { SignInFeatures } from '../accounts/sign-in/sign-in-features.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';
import type { AdministrationFeatures } from './account-mail.ts';

/** What makes and changes accounts. */
export type AccountAdministrationFeatures = HasClock &
  Pick<AuditFeatures, 'audit'> &
  Pick<AccountFeatures, 'accounts' | 'links'> &
  Pick<SignInFeatures, 'hasher'> &
  Pick<GrantFeatures, 'revoker'> &
  AdministrationFeatures &
  PageFeatures &
  EndSessionFeatures;

/** An account that is to be made. */
export interface AccountRequest {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly password: string;
}

/** Makes an account. @param caller in whose share the password is hashed @returns its id, or undefined when the address is taken */
export async function addAccount(
  features: AccountAdministrationFeatures,
  { email, name, role, password }: AccountRequest,
  caller: QueueCaller,
): Promise<string | undefined> {
  const id = newAccountId(features.clock());
  const passwordHash = await features.hasher.hash(password, caller);
  const added = await features.accounts.add({ id, email, name, role, emailVerified: true, passwordHash });
  return added ? id : undefined;
}

/**
 * Changes what an account says. Access tokens of before say too much where it may do less now, and end; so they do where its
 * claims are others, by which operators' policies may decide. Links that were issued for what it was before end for good.
 *
 * @param isStill whether the account is as the caller has seen it. @default always
 * @returns the account as it is now, undefined when there is none that is so, or `taken` when another has the address
 */
export async function changeAccount(
  features: AccountAdministrationFeatures,
  id: string,
  changes: AccountChanges,
  by: Actor,
  isStill?: (account: Account) => boolean,
): Promise<Account | 'taken' | undefined> {
  const beforeCommit = (update: AccountUpdate): Promise<void> => endLinksOfBefore(features, update);
  const changed = await features.accounts.update(id, changes, { isStill, beforeCommit });
  if (changed === undefined || changed === 'taken') return changed;
  const { before, after } = changed;
  // The new address may have another reader than the old one.
  if (before.email !== after.email)
    features.accountMail?.notify(before, 'address_withdrawn', features.chooseTexts());
  features.audit.record({ event: 'account_changed', subject: id, by });
  if (mayLess(before.role, after.role) || !isDeepStrictEqual(before.claims, after.claims)) {
    await features.revoker.revokeTokens({ kind: 'user', subject: id }, 'account_changed');
  }
  return after;
}

/** Disables an account, and ends its sessions and grants. @returns how many grants were live */
export async function disableAccount(
  features: AccountAdministrationFeatures,
  id: string,
  by: Actor,
): Promise<number> {
  await features.accounts.setDisabled(id, true);
  await endLinks(features, id);
  features.audit.record({ event: 'account_disabled', subject: id, by });
  return endEverything(features, id);
}

/**
 * Deletes an account with its consents and identities, and ends its sessions and grants. What the graph's services have of its
 * user stays with them, and so do security events, which name it by its id, until they are old enough.
 *
 * @throws LastAdministrator instead of leaving none
 * @returns whether there was one
 */
export async function deleteAccount(
  features: AccountAdministrationFeatures,
  { id, email }: Pick<Account, 'id' | 'email'>,
  by: Actor,
  texts: PageTexts,
): Promise<boolean> {
  if (!(await features.accounts.remove(id))) return false;
  features.audit.record({ event: 'account_deleted', subject: id, by });
  await endEverything(features, id);
  await endLinks(features, id);
  features.accountMail?.notify({ id, email }, 'account_deleted', texts);
  return true;
}

/** Lets a disabled account sign in again. */
export async function enableAccount(
  features: AccountAdministrationFeatures,
  id: string,
  by: Actor,
): Promise<void> {
  await features.accounts.setDisabled(id, false);
  features.audit.record({ event: 'account_enabled', subject: id, by });
}

/**
 * Gives an account another password, and ends everything that began under the old one.
 *
 * @param known the account as the caller has seen it
 * @returns false, and does nothing, when it has another address, role or password since then, or is disabled
 */
export async function setPassword(
  features: AccountAdministrationFeatures,
  known: CredentialsState & Pick<Account, 'id'>,
  password: string,
  event: 'password_changed' | 'password_reset',
): Promise<boolean> {
  const { accounts, hasher, clock, audit } = features;
  const passwordHash = await hasher.hash(password, hashCallerOf(known.id));
  if (!(await accounts.setPassword(known.id, passwordHash, clock(), known))) return false;
  audit.record({ event, subject: known.id });
  await endEverything(features, known.id);
  return true;
}

async function endLinks({ links }: AccountAdministrationFeatures, id: string): Promise<void> {
  await links.end({ purpose: 'reset', subject: id });
  await links.end({ purpose: 'change_email', subject: id });
}

/** Comparing them with the account is not enough: it may become again what it was. */
async function endLinksOfBefore(
  features: AccountAdministrationFeatures,
  { before, after }: AccountUpdate,
): Promise<void> {
  const { links } = features;
  if (before.email !== after.email) {
    await endLinks(features, after.id);
    await links.end({ purpose: 'sign_up', email: after.email });
    await links.end({ purpose: 'invitation', email: after.email });
  } else if (before.role !== after.role) {
    await links.end({ purpose: 'reset', subject: after.id });
  }
}

async function endEverything(features: AccountAdministrationFeatures, id: string): Promise<number> {
  const reason = 'account_changed';
  const ended = await features.revoker.revokeOfAccount(id, reason);
  await endSessionsOf(id, features, { reason });
  return ended;
}
