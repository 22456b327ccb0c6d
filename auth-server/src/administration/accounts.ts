import type { Account, Role } from '../accounts.ts';
import type { Actor } from '../audit.ts';
import { newAccountId } from '../new-account-id.ts';
import type { Services } from '../services.ts';
import type { AccountChanges } from '../stores/account-store.ts';
import type { AccountLink } from '../stores/link-store.ts';
import { endSessionsOf } from '../end-session.ts';

/** An account that is to be made. */
export interface AccountRequest {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly password: string;
}

/** Makes an account. @returns its id, or undefined when the address is taken */
export async function addAccount(
  services: Services,
  { email, name, role, password }: AccountRequest,
): Promise<string | undefined> {
  const id = newAccountId(services.clock());
  const passwordHash = await services.hasher.hash(password);
  const added = await services.accounts.add({ id, email, name, role, emailVerified: true, passwordHash });
  return added ? id : undefined;
}

/** Changes what an account says. @returns the account as it is now, or undefined when there is none */
export async function changeAccount(
  services: Services,
  id: string,
  changes: AccountChanges,
  by: Actor,
): Promise<Account | undefined> {
  const changed = await services.accounts.update(id, changes);
  if (changed) services.audit.record({ event: 'account_changed', subject: id, by });
  return changed;
}

/** Disables an account, and ends its sessions and grants. @returns how many grants were live */
export async function disableAccount(services: Services, id: string, by: Actor): Promise<number> {
  await services.accounts.setDisabled(id, true);
  services.audit.record({ event: 'account_disabled', subject: id, by });
  return endEverything(services, id);
}

/** Lets a disabled account sign in again. */
export async function enableAccount(services: Services, id: string, by: Actor): Promise<void> {
  await services.accounts.setDisabled(id, false);
  services.audit.record({ event: 'account_enabled', subject: id, by });
}

/** Gives an account another password, and ends everything that began under the old one. */
export async function setPassword(
  services: Services,
  id: string,
  password: string,
  event: 'password_changed' | 'password_reset',
): Promise<void> {
  await services.accounts.setPassword(id, await services.hasher.hash(password), services.clock());
  services.audit.record({ event, subject: id });
  await endEverything(services, id);
}

async function endEverything(services: Services, id: string): Promise<number> {
  const ended = await services.revoker.revokeOfAccount(id, 'account_changed');
  await endSessionsOf(id, services);
  return ended;
}

/** Makes a one-time link. @returns its address */
export async function issueLink(
  services: Pick<Services, 'settings' | 'links' | 'audit' | 'accountName'>,
  link: AccountLink,
  by: Actor | 'person',
): Promise<string> {
  const { settings, links, audit, accountName } = services;
  const token = await links.create(link, settings.linkTtlS);
  audit.record({ event: 'link_issued', purpose: link.purpose, account: accountName(link.email), by });
  return `${settings.issuer}/link?token=${token}`;
}

/** Does what a link is for, once. @returns whether it could be done */
export async function redeemLink(services: Services, token: string, password: string): Promise<boolean> {
  const link = await services.links.take(token);
  if (!link) return false;
  if (link.purpose === 'reset') {
    const account = await services.accounts.findById(link.subject);
    if (!account || account.disabled) return false;
    await setPassword(services, link.subject, password, 'password_reset');
    return true;
  }
  const id = await addAccount(services, { ...link, password });
  if (id === undefined) return false;
  services.audit.record({ event: 'account_signed_up', subject: id });
  return true;
}
