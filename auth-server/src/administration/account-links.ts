import type { Account } from '../accounts/accounts.ts';
import type { Actor } from '../audit/audit.ts';
import type { Services } from '../app/services.ts';
import type { AccountLink } from '../accounts/link-store.ts';
import { addAccount, setPassword } from './accounts.ts';

/**
 * A link with which the holder of an account chooses another password, as long as nobody has changed it, and the account may
 * do what it could: a link from before a promotion takes over no administrator.
 */
export function resetLinkOf({ id, email, role, credentialsChangedAt }: Account): AccountLink {
  return { purpose: 'reset', subject: id, email, role, credentialsChangedAt };
}

/** Makes a one-time link; those before for the same are void, unless anybody may have asked for it. @returns its address */
export async function issueLink(
  services: Pick<Services, 'settings' | 'links' | 'audit' | 'accountName'>,
  link: AccountLink,
  by: Actor | 'person',
): Promise<string> {
  const { settings, links, audit, accountName } = services;
  const token = await links.create(link, settings.linkTtlS, by === 'person' ? 'anybody' : 'administrator');
  audit.record({ event: 'link_issued', purpose: link.purpose, account: accountName(link.email), by });
  return `${settings.issuer}/link?token=${token}`;
}

/** Finds a link that is still of use: what it was issued for is as it was then. */
export async function findUsableLink(
  { links, accounts }: Pick<Services, 'links' | 'accounts'>,
  token: string,
): Promise<AccountLink | undefined> {
  const link = await links.find(token);
  if (!link) return undefined;
  if (link.purpose !== 'reset') return (await accounts.findByEmail(link.email)) ? undefined : link;
  const account = await accounts.findById(link.subject);
  const isAsThen =
    account?.disabled === false &&
    account.email === link.email &&
    account.role === link.role &&
    account.credentialsChangedAt === link.credentialsChangedAt;
  return isAsThen ? link : undefined;
}

/**
 * Does what a link is for, once: the write that it allows finds things as they were, or does nothing, so that of any number
 * of callers one succeeds, and a link that could not be used is not used up.
 *
 * @returns whether it was done
 */
export async function redeemLink(services: Services, token: string, password: string): Promise<boolean> {
  const link = await findUsableLink(services, token);
  if (!link) return false;
  const isDone =
    link.purpose === 'reset'
      ? await setPassword(services, { id: link.subject, ...link }, password, 'password_reset')
      : await signUp(services, { ...link, password });
  if (isDone) await services.links.end(link);
  return isDone;
}

async function signUp(services: Services, request: Parameters<typeof addAccount>[1]): Promise<boolean> {
  const id = await addAccount(services, request);
  if (id !== undefined) services.audit.record({ event: 'account_signed_up', subject: id });
  return id !== undefined;
}
